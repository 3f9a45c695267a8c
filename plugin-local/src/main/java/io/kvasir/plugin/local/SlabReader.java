package io.kvasir.plugin.local;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.Deadline;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.Executor;

/** Reads blocks of a slab, and puts those out of use that the disk has damaged. Thread-safe. */
final class SlabReader {
  private final SlabFile file;
  private final SlabWriter writer;
  private final SlabState state;
  private final Fingerprints fingerprints;
  private final Executor threads;
  private final Metrics metrics;
  private volatile Throwable trouble;
  private int readers;

  SlabReader(SlabFile file, SlabWriter writer, Fingerprints fingerprints, Slab.Options options) {
    this.file = file;
    this.writer = writer;
    this.state = writer.state;
    this.fingerprints = fingerprints;
    this.threads = options.threads().blocks();
    this.metrics = options.metrics();
  }

  /**
   * Reads blocks side by side and ends each. What came off the disk is believed only if trailer and
   * checksums agree; if they do not and the slot has gone to another block meanwhile, that is a
   * miss.
   */
  void load(List<Outgoing> blocks, Deadline deadline) {
    int begun = beginReads(blocks);
    try (Tasks tasks = new Tasks(threads, metrics)) {
      for (Outgoing block : blocks) {
        if (block.status == null) {
          tasks.run(() -> read(block, deadline), cause -> failed(block, cause));
        }
      }
    }
    endReads(begun);
  }

  private int beginReads(List<Outgoing> blocks) {
    return writer.locked(
        () -> {
          int begun = 0;
          for (Outgoing block : blocks) {
            int slot = state.table.find(block.print);
            if (writer.isClosed() || slot == SlotTable.NONE) {
              block.end(writer.isClosed() ? BlockStatus.CLOSED : BlockStatus.MISS, null);
            } else {
              block.slot = slot;
              block.entry = state.table.entry(slot);
              begun++;
            }
          }
          readers += begun;
          return begun;
        });
  }

  private void endReads(int begun) {
    writer.locked(
        () -> {
          readers -= begun;
          if (writer.isClosed()) {
            writer.changed.signalAll();
          }
          return null;
        });
  }

  private void read(Outgoing block, Deadline deadline) throws IOException {
    if (deadline.expired()) {
      block.end(BlockStatus.TIMEOUT, null);
      return;
    }
    long start = System.nanoTime();
    file.readSlot(block.slot, block.frame);
    metrics.reads.since(start);
    if (isBlock(block.frame, block.slot, block.key, block.entry)) {
      trouble = null;
      block.end(BlockStatus.OK, null);
    } else {
      block.end(notThere(block.slot, block.entry.seq()), null);
    }
  }

  /**
   * Reads the first block at {@code from} or behind it, and puts it out of use if it is damaged.
   *
   * @param frame one whole slot
   * @return the slot that was read, or -1 if there was none
   */
  int verify(int from, MemorySegment frame) {
    Outgoing[] block = new Outgoing[1];
    writer.locked(
        () -> {
          int slot = writer.isClosed() ? SlotTable.NONE : state.table.nextLive(from);
          if (slot != SlotTable.NONE) {
            SlotTable.Entry entry = state.table.entry(slot);
            block[0] = new Outgoing(null, entry.print(), frame);
            block[0].slot = slot;
            block[0].entry = entry;
            readers++;
          }
          return null;
        });
    if (block[0] == null) {
      return SlotTable.NONE;
    }
    try {
      file.readSlot(block[0].slot, frame);
      Trailer trailer = Trailer.read(frame);
      boolean whole =
          trailer != null
              && block[0].print.equals(fingerprints.of(trailer.put().key()))
              && isBlock(frame, block[0].slot, trailer.put().key(), block[0].entry);
      if (!whole) {
        notThere(block[0].slot, block[0].entry.seq());
      }
      metrics.add(Metrics.Count.SCRUBBED, 1);
    } catch (IOException | RuntimeException e) {
      trouble = e;
    } finally {
      endReads(1);
    }
    return block[0].slot;
  }

  private void failed(Outgoing block, Throwable cause) {
    trouble = cause;
    block.end(BlockStatus.IO, cause);
  }

  private boolean isBlock(MemorySegment frame, int slot, Key key, SlotTable.Entry entry) {
    Trailer trailer = Trailer.read(frame);
    return trailer != null
        && trailer.storeId() == file.header().storeId()
        && trailer.slot() == slot
        && (trailer.seq() == entry.seq() || entry.seq() == SlotTable.FROM_CHECKPOINT)
        && trailer.put().key().equals(key)
        && trailer.put().length() == entry.length()
        && trailer.put().crc() == entry.crc()
        && trailer.guards(frame);
  }

  private BlockStatus notThere(int slot, long seq) {
    return writer.locked(
        () -> {
          if (!state.table.holds(slot, seq)) {
            return BlockStatus.MISS;
          }
          state.quarantine(slot);
          return BlockStatus.CORRUPT;
        });
  }

  /** What the last read of a block failed with, or null. */
  Throwable trouble() {
    return trouble;
  }

  /** Whether blocks are being read; called under the lock. */
  boolean isBusy() {
    return readers > 0;
  }
}
