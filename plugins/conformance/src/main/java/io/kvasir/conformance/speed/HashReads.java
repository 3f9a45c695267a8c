package io.kvasir.conformance.speed;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Reads of 32 bytes each, all over more memory than caches hold: finding a block by its hash costs
 * at least one of them.
 */
final class HashReads implements AutoCloseable {
  static final int BYTES = 32;

  private static final long TABLE = 64L << 20;

  private final Arena arena = Arena.ofConfined();
  private final MemorySegment table = arena.allocate(TABLE, 64);
  private long sum;

  HashReads() {
    for (long at = 0; at < TABLE; at += Long.BYTES) {
      table.set(ValueLayout.JAVA_LONG, at, at);
    }
  }

  /** {@return a round of that many reads} */
  Round read(int count) throws Exception {
    return Round.time(
        (long) count * BYTES,
        () -> {
          long place = sum;
          for (int i = 0; i < count; i++) { // the next place follows from what was read
            place = place * 0x9e3779b97f4a7c15L + 0x632be59bd9b4e019L;
            long at = (place >>> 1) % (TABLE / BYTES) * BYTES;
            for (int part = 0; part < BYTES; part += Long.BYTES) {
              place ^= table.get(ValueLayout.JAVA_LONG, at + part);
            }
          }
          sum = place;
        });
  }

  @Override
  public void close() {
    arena.close();
  }
}
