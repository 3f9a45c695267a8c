package io.kvasir.plugin.mooncake;

import io.kvasir.api.identity.BlockKeys;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The different keys of a batch. The library reports a key that is asked for twice as filled twice,
 * and fills only the last buffer.
 *
 * @param blocks the first block of each key
 * @param count how many of them there are; the array may be longer
 * @param of for each block the position of its key among them
 */
@SuppressWarnings("ArrayRecordComponent") // of one batch, compared by nobody
record Distinct(int[] blocks, int count, int[] of) {
  private static final int HASH_BYTES = 32;

  static Distinct of(BlockKeys keys) {
    int n = keys.count();
    int[] blocks = new int[n];
    int[] of = new int[n];
    int[] table = new int[Integer.highestOneBit(Math.max(1, n)) * 4]; // position + 1, 0 for none
    byte[] all = new byte[n * HASH_BYTES];
    ByteBuffer words = ByteBuffer.wrap(all);
    int count = 0;
    for (int i = 0; i < n; i++) {
      keys.copyHash(i, all, i * HASH_BYTES);
      int slot = (int) words.getLong(i * HASH_BYTES) & table.length - 1;
      while (table[slot] != 0 && !same(all, blocks[table[slot] - 1], i)) {
        slot = slot + 1 & table.length - 1;
      }
      if (table[slot] == 0) {
        blocks[count] = i;
        table[slot] = ++count;
      }
      of[i] = table[slot] - 1;
    }
    return new Distinct(blocks, count, of);
  }

  private static boolean same(byte[] all, int a, int b) {
    return Arrays.equals(
        all, a * HASH_BYTES, (a + 1) * HASH_BYTES, all, b * HASH_BYTES, (b + 1) * HASH_BYTES);
  }
}
