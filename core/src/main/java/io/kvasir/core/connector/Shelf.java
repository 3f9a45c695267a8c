package io.kvasir.core.connector;

import io.kvasir.api.store.Frame;
import io.kvasir.api.store.FrameSource;
import io.kvasir.api.store.StoreException;
import io.kvasir.core.memory.HugePages;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** The frames of one size. Guarded by the lock of its {@link FramePool}, but for allocation. */
final class Shelf {
  /** Fewest frames that a shelf works with: a quarter of them may be quarantined. */
  static final int LEAST = 4;

  private static final long LARGEST_PIECE = 1L << 30;

  private final FrameSource source;
  private final long payloadBytes;
  private final long frameBytes;
  private final long alignment;
  private final Deque<Slot> free = new ArrayDeque<>();
  private final List<Piece> pieces = new ArrayList<>();
  private int most;
  private int allocated;
  private int saving;
  private boolean growing;
  private Throwable trouble = new IllegalStateException("the connector is closed");

  /** A frame and the piece that it is cut from. */
  record Slot(Piece piece, Frame frame) {}

  /** Memory that is allocated, registered and freed at once. */
  static final class Piece {
    private final Arena arena;
    private final MemorySegment memory;
    private final int frames;
    private int out;

    private Piece(Arena arena, MemorySegment memory, int frames) {
      this.arena = arena;
      this.memory = memory;
      this.frames = frames;
    }
  }

  Shelf(FrameSource source, long payloadBytes) {
    this.source = source;
    this.payloadBytes = payloadBytes;
    this.alignment = source.alignment();
    this.frameBytes = source.frameBytes(payloadBytes);
    if (Long.bitCount(alignment) != 1 || frameBytes < payloadBytes) {
      throw new IllegalArgumentException(
          "a frame source gives %d bytes for a payload of %d, aligned to %d"
              .formatted(frameBytes, payloadBytes, alignment));
    }
  }

  long payloadBytes() {
    return payloadBytes;
  }

  long stride() {
    return (frameBytes + alignment - 1) & -alignment;
  }

  /** {@return whether the bytes are enough for a few frames} */
  boolean limit(long bytes) {
    most = (int) Math.min(bytes / stride(), 1 << 20);
    return most >= LEAST;
  }

  int most() {
    return most;
  }

  Throwable trouble() {
    return trouble;
  }

  /** {@return whether the frames are there; saves leave half of the shelf to loads} */
  boolean has(int count, boolean save) {
    return free.size() >= count && (!save || saving + count <= Math.max(count, most / 2));
  }

  List<Slot> take(int count, boolean save) {
    List<Slot> out = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      Slot slot = free.removeFirst();
      slot.piece.out++;
      out.add(slot);
    }
    saving += save ? count : 0;
    return out;
  }

  void giveBack(List<Slot> slots, boolean save) {
    for (Slot slot : slots) {
      slot.piece.out--;
      free.addFirst(slot); // warm in the cache
    }
    saving -= save ? slots.size() : 0;
  }

  /** {@return whether a piece shall be allocated by the caller, outside the lock} */
  boolean beginGrowing() {
    if (growing || allocated >= most) {
      return false;
    }
    growing = true;
    return true;
  }

  /** Allocates and registers a piece; called by one thread at a time, outside the lock. */
  @SuppressWarnings("MustBeClosedChecker") // closed in free()
  Piece allocate() throws StoreException {
    long size = Math.max(stride(), Math.min(source.pieceBytes(), LARGEST_PIECE));
    int frames = (int) Math.min(size / stride(), most - allocated);
    Arena arena = Arena.ofShared();
    boolean done = false;
    try {
      MemorySegment memory = HugePages.allocate(arena, frames * stride(), alignment);
      source.register(memory);
      done = true;
      return new Piece(arena, memory, frames);
    } finally {
      if (!done) {
        arena.close();
      }
    }
  }

  /** Takes a new piece in, or after a failure gives up on growing further. */
  void endGrowing(Piece piece, Throwable failure) {
    growing = false;
    if (piece != null) {
      pieces.add(piece);
      allocated += piece.frames;
      for (int i = 0; i < piece.frames; i++) {
        MemorySegment frame = piece.memory.asSlice(i * stride(), frameBytes);
        free.addLast(new Slot(piece, new Frame(frame, payloadBytes)));
      }
    } else if (failure != null) {
      most = allocated;
      trouble = failure;
    }
  }

  /** {@return the pieces of which no frame is lent, taken out} */
  List<Piece> takeUnused() {
    List<Piece> unused = pieces.stream().filter(p -> p.out == 0).toList();
    pieces.removeAll(unused);
    free.removeIf(s -> unused.contains(s.piece));
    return unused;
  }

  /** Frees a piece, outside the lock. */
  void free(Piece piece) {
    try {
      source.unregister(piece.memory);
    } finally {
      piece.arena.close();
    }
  }
}
