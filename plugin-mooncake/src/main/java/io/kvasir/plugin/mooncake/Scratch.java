package io.kvasir.plugin.mooncake;

import io.kvasir.api.identity.BlockKeys;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Native memory of one thread, in which a batch is written down: keys, and an array each of key
 * pointers, buffers, sizes and results. Used again for the next batch.
 */
final class Scratch implements AutoCloseable {
  private static final int HASH_BYTES = 32;
  private static final int WORD = 8;
  private static final ValueLayout.OfShort DIGITS =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
  private static final short[] HEX = new short[256];

  static {
    String digits = "0123456789abcdef";
    for (int b = 0; b < 256; b++) {
      HEX[b] = (short) (digits.charAt(b >> 4) << 8 | digits.charAt(b & 15));
    }
  }

  private Arena arena = Arena.ofConfined();
  private MemorySegment memory = arena.allocate(64 << 10, WORD);
  private final byte[] hash = new byte[HASH_BYTES];
  private int count;

  /**
   * Writes keys down, each {@code prefix} and the hash in hexadecimal digits.
   *
   * @param blocks which of the keys, and how many of them
   */
  void write(byte[] prefix, BlockKeys keys, int[] blocks, int count) {
    int keyBytes = prefix.length + 2 * HASH_BYTES + 1;
    begin(count, (long) count * keyBytes);
    long at = 4L * WORD * count;
    for (int i = 0; i < count; i++) {
      memory.setAtIndex(ValueLayout.JAVA_LONG, i, memory.address() + at);
      MemorySegment.copy(prefix, 0, memory, ValueLayout.JAVA_BYTE, at, prefix.length);
      at += prefix.length;
      keys.copyHash(blocks[i], hash, 0);
      for (int b = 0; b < HASH_BYTES; b++) {
        memory.set(DIGITS, at, HEX[hash[b] & 0xff]);
        at += 2;
      }
      memory.set(ValueLayout.JAVA_BYTE, at++, (byte) 0);
    }
  }

  /** Makes room; what was written before is gone. */
  @SuppressWarnings("MustBeClosedChecker") // closed in close()
  private void begin(int count, long bytes) {
    long all = 4L * WORD * count + bytes;
    if (all > memory.byteSize()) {
      arena.close();
      arena = Arena.ofConfined();
      memory = arena.allocate(all * 3 / 2, WORD);
    }
    this.count = count;
    // a call that did not run leaves failures, and nothing of the batch before
    memory.asSlice(3L * WORD * count, (long) WORD * count).fill((byte) 0xff);
  }

  /** Notes the memory of an item. */
  void value(int item, long address, long bytes) {
    memory.setAtIndex(ValueLayout.JAVA_LONG, count + item, address);
    memory.setAtIndex(ValueLayout.JAVA_LONG, 2L * count + item, bytes);
  }

  long keys() {
    return memory.address();
  }

  long key(int item) {
    return memory.getAtIndex(ValueLayout.JAVA_LONG, item);
  }

  long buffers() {
    return memory.address() + (long) WORD * count;
  }

  long sizes() {
    return memory.address() + 2L * WORD * count;
  }

  long results() {
    return memory.address() + 3L * WORD * count;
  }

  /** {@return the results of a call that writes {@code int}s; {@code code} where it did not run} */
  long[] ints(int code) {
    long[] out = new long[count];
    for (int i = 0; i < count; i++) {
      out[i] = code == Codes.OK ? memory.getAtIndex(ValueLayout.JAVA_INT, 6L * count + i) : code;
    }
    return out;
  }

  /** {@return the results of a call that writes {@code int64_t}s, as {@link #ints} does} */
  long[] longs(int code) {
    long[] out = new long[count];
    for (int i = 0; i < count; i++) {
      out[i] = code == Codes.OK ? memory.getAtIndex(ValueLayout.JAVA_LONG, 3L * count + i) : code;
    }
    return out;
  }

  @Override
  public void close() {
    arena.close();
  }
}
