package io.kvasir.plugin.local;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executor;

/**
 * Looks whether slots hold the bytes of the puts that the log says they hold (I2), as many at a
 * time as there are threads: an open waits for these blocks more than for all else.
 */
final class TailCheck {
  /** A put by its place and time. */
  record Put(int slot, long seq) {}

  private record Check(long seq, PutRecord put) {}

  private final SlabFile slab;
  private final Executor threads;
  private final Map<Check, Later<Boolean>> checks = new HashMap<>();
  private final ReadBuffers buffers;

  TailCheck(SlabFile slab, Executor threads, ReadBuffers buffers) {
    this.slab = slab;
    this.threads = threads;
    this.buffers = buffers;
  }

  /** Begins to look; the slot must be there. */
  void begin(long seq, PutRecord put) {
    checks.computeIfAbsent(
        new Check(seq, put), check -> Later.start(threads, () -> read(check.seq, check.put)));
  }

  /** Whether the slot holds the bytes of that very put, which was begun. */
  boolean holds(long seq, PutRecord put) throws IOException {
    return checks.get(new Check(seq, put)).get();
  }

  /** Waits until nothing is read any more. */
  void settle() {
    checks.values().forEach(Later::settle);
  }

  private boolean read(long seq, PutRecord put) throws IOException {
    try (ReadBuffers.Buffer buffer = buffers.take(slab.header().slotBytes())) {
      slab.readSlot(put.slot(), buffer.bytes());
      Trailer trailer = Trailer.read(buffer.bytes());
      return trailer != null
          && trailer.storeId() == slab.header().storeId()
          && trailer.seq() == seq
          && trailer.put().equals(put)
          && trailer.guards(buffer.bytes());
    }
  }
}
