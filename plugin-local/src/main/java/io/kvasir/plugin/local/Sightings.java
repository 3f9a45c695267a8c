package io.kvasir.plugin.local;

/**
 * Which blocks were seen before, in a table of fixed size: a block may be forgotten when another
 * falls on its place, and one in 2^32 is taken for another, which costs a write. Not thread-safe.
 */
final class Sightings {
  private static final int FEWEST = 1 << 12;
  private static final int MOST = 1 << 24;

  private final int[] tags;

  /**
   * @param blocks how many the store can hold; about twice as many are remembered
   */
  Sightings(long blocks) {
    long wanted = Math.clamp(2 * blocks, FEWEST, MOST);
    tags = new int[(int) Long.highestOneBit(2 * wanted - 1)];
  }

  /** Whether the block was seen before; from now on it was. */
  boolean again(Bits128 print) {
    int at = (int) print.first() & (tags.length - 1);
    int tag = (int) print.second() | 1;
    boolean seen = tags[at] == tag;
    tags[at] = tag;
    return seen;
  }
}
