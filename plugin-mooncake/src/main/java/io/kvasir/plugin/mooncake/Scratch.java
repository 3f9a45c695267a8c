package io.kvasir.plugin.mooncake;

import io.kvasir.api.identity.BlockKeys;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Native memory of one thread, in which a batch is written down: keys, and an array each of key
 * pointers, buffers, sizes and results. Used again for the next batch.
 */
final class Scratch implements AutoCloseable {
  private static final int HASH_BYTES = 32;
  private static final int WORD = 8;
  private static final ValueLayout.OfLong DIGITS =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
  private static final long EACH_BYTE = 0x0101010101010101L;

  private Arena arena = Arena.ofConfined();
  private MemorySegment memory = arena.allocate(64 << 10, WORD);
  private final byte[] hash = new byte[HASH_BYTES];
  private final ByteBuffer hashWords = ByteBuffer.wrap(hash);
  private int count;

  /**
   * Writes keys down, each {@code prefix} and the hash in hexadecimal digits.
   *
   * @param blocks which of the keys, and how many of them
   */
  void write(byte[] prefix, BlockKeys keys, int[] blocks, int count) {
    int keyBytes = prefix.length + 2 * HASH_BYTES + 1;
    long[] words = words(prefix);
    begin(count, (long) count * keyBytes);
    long at = 4L * WORD * count;
    for (int i = 0; i < count; i++) {
      memory.setAtIndex(ValueLayout.JAVA_LONG, i, memory.address() + at);
      for (int w = 0; w < words.length; w++) { // what is written beyond the prefix is overwritten
        memory.set(DIGITS, at + (long) w * Long.BYTES, words[w]);
      }
      at += prefix.length;
      keys.copyHash(blocks[i], hash, 0);
      for (int b = 0; b < HASH_BYTES; b += Integer.BYTES) {
        memory.set(DIGITS, at, digits(hashWords.getInt(b)));
        at += Long.BYTES;
      }
      memory.set(ValueLayout.JAVA_BYTE, at++, (byte) 0);
    }
  }

  private static long[] words(byte[] prefix) {
    int count = Math.ceilDiv(prefix.length, Long.BYTES);
    ByteBuffer padded = ByteBuffer.allocate(count * Long.BYTES).put(prefix).rewind();
    long[] words = new long[count];
    padded.asLongBuffer().get(words);
    return words;
  }

  /** {@return eight hexadecimal digits, one in each byte} */
  private static long digits(int word) {
    long nibbles = Long.expand(Integer.toUnsignedLong(word), 0xf * EACH_BYTE);
    long letters = (nibbles + 6 * EACH_BYTE) >>> 4 & EACH_BYTE; // 1 where a nibble is above 9
    return nibbles + '0' * EACH_BYTE + letters * ('a' - '0' - 10);
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
