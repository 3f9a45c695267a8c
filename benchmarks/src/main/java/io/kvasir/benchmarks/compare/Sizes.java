package io.kvasir.benchmarks.compare;

import java.time.Duration;

/**
 * How much a comparison moves.
 *
 * @param blockBytes payload of a block, a multiple of 4096
 * @param batchBlocks blocks of a call
 * @param ours rounds of the project's own store
 * @param peers rounds of the others
 * @param yardstickBytes of a round that checks the yardstick
 * @param yardstickRounds of these
 * @param fill how long the page cache may be filled, at first; a tenth of it before each store
 * @param manyBlocks of the store whose memory and lookups are measured, a multiple of 2,000
 * @param openedBlocks of the store whose opening is measured, likewise
 * @param opens how often it is opened
 * @param halfRing whether it is opened with half a ring of log to replay, too
 */
record Sizes(
    int blockBytes,
    int batchBlocks,
    Rounds ours,
    Rounds peers,
    long yardstickBytes,
    int yardstickRounds,
    Duration fill,
    int manyBlocks,
    int openedBlocks,
    int opens,
    boolean halfRing) {

  /**
   * Rounds of a store.
   *
   * @param blocks of a round, a multiple of the batches of all callers, so that none is idle at its
   *     end
   * @param count that are wanted
   * @param seconds that those of one kind may take; then there are fewer, three at least
   */
  record Rounds(int blocks, int count, int seconds) {}

  /** A day's work for a disk: everything, often. */
  static Sizes whole() {
    return new Sizes(
        2 << 20,
        32,
        new Rounds(768, 31, 120),
        new Rounds(288, 15, 120),
        2L << 30,
        9,
        Duration.ofMinutes(2),
        10_000_000,
        1_000_000,
        15,
        true);
  }

  /** Three minutes of two cores. */
  static Sizes quick() {
    return new Sizes(
        2 << 20,
        32,
        new Rounds(384, 15, 14),
        new Rounds(192, 5, 2),
        1L << 30,
        3,
        Duration.ofSeconds(22),
        10_000_000,
        1_000_000,
        12,
        false);
  }
}
