package io.kvasir.cuda;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * The pieces of host memory that frames are cut from, and which of them are pinned. What is
 * registered before a device is open is pinned when it is. Thread-safe; pinning and unpinning of
 * one piece exclude each other.
 */
final class Pieces {
  /** No piece of pinned memory. */
  static final long NONE = 0;

  private final ConcurrentSkipListMap<Long, Piece> all = new ConcurrentSkipListMap<>();

  /** A piece: its lock is held while it is pinned, unpinned or given up. */
  static final class Piece {
    final long address;
    final long bytes;
    private volatile boolean pinned;
    private boolean gone;

    private Piece(long address, long bytes) {
      this.address = address;
      this.bytes = bytes;
    }

    synchronized void pin(Driver driver) throws CudaException {
      if (!pinned && !gone) {
        driver.pin(address, bytes);
        pinned = true;
      }
    }

    /** Gives the piece up. */
    synchronized void unpin(Driver driver) throws CudaException {
      gone = true;
      if (pinned) {
        pinned = false;
        driver.unpin(address);
      }
    }

    /** {@return whether the piece needs a call of the driver before it may be freed} */
    synchronized boolean giveUp() {
      gone = true;
      return pinned;
    }
  }

  Piece add(MemorySegment memory) {
    Piece piece = new Piece(memory.address(), memory.byteSize());
    all.put(piece.address, piece);
    return piece;
  }

  /** {@return the piece, which is no longer among these; null if it never was} */
  Piece remove(MemorySegment memory) {
    return all.remove(memory.address());
  }

  boolean isEmpty() {
    return all.isEmpty();
  }

  List<Piece> list() {
    return new ArrayList<>(all.values());
  }

  /** {@return the address of the pinned piece that holds all of a range, or {@link #NONE}} */
  long pinned(long address, long bytes) {
    Map.Entry<Long, Piece> below = all.floorEntry(address);
    if (below == null) {
      return NONE;
    }
    Piece piece = below.getValue();
    boolean within = address + bytes <= piece.address + piece.bytes;
    return within && piece.pinned ? piece.address : NONE;
  }

  long pinnedBytes() {
    return all.values().stream().filter(p -> p.pinned).mapToLong(p -> p.bytes).sum();
  }

  boolean allPinned() {
    return all.values().stream().allMatch(p -> p.pinned);
  }
}
