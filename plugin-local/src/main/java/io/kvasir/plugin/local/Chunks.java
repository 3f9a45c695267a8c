package io.kvasir.plugin.local;

import java.util.Arrays;

/**
 * How arrays by slot grow: in chunks, so that no growth copies what is there, and a chunk by an
 * eighth at a time, so that a small store does not pay for a large one.
 */
final class Chunks {
  static final int BITS = 13;
  static final int SIZE = 1 << BITS;
  static final int MASK = SIZE - 1;

  private Chunks() {}

  /** Makes room for {@code count} elements of {@code words} longs. */
  static long[][] grow(long[][] chunks, int count, int words) {
    int needed = needed(count);
    int last = chunks.length - 1;
    long[][] grown = needed > chunks.length ? Arrays.copyOf(chunks, needed) : chunks;
    for (int i = Math.max(0, last); i < needed; i++) {
      int there = grown[i] == null ? 0 : grown[i].length / words;
      int wanted = size(there, count - i * SIZE);
      if (wanted > there) {
        grown[i] = there == 0 ? new long[wanted * words] : Arrays.copyOf(grown[i], wanted * words);
      }
    }
    return grown;
  }

  /** Makes room for {@code count} integers. */
  static int[][] grow(int[][] chunks, int count) {
    int needed = needed(count);
    int last = chunks.length - 1;
    int[][] grown = needed > chunks.length ? Arrays.copyOf(chunks, needed) : chunks;
    for (int i = Math.max(0, last); i < needed; i++) {
      int there = grown[i] == null ? 0 : grown[i].length;
      int wanted = size(there, count - i * SIZE);
      if (wanted > there) {
        grown[i] = there == 0 ? new int[wanted] : Arrays.copyOf(grown[i], wanted);
      }
    }
    return grown;
  }

  private static int needed(int count) {
    return (int) ((count + (long) MASK) >>> BITS);
  }

  private static int size(int there, int wanted) {
    return wanted <= there ? there : Math.min(SIZE, Math.max(wanted, there + there / 8));
  }
}
