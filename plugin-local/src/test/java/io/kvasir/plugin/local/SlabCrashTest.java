package io.kvasir.plugin.local;

import java.util.Set;
import org.junit.jupiter.api.Test;

class SlabCrashTest {
  private static final boolean SOAK = Boolean.getBoolean("kvasir.soak");
  private static final long SEED = Long.getLong("kvasir.seed", System.nanoTime());

  @Test
  void everyCrashLeavesWhatWasAcknowledged() {
    int wanted = SOAK ? 1_000_000 : 10_000;
    int crashes = 0;
    long start = System.nanoTime();
    for (long i = 0; crashes < wanted; i++) {
      Durability durability = durability(SEED + i);
      SlabHistory history = new SlabHistory(SEED + i, Rules.KEPT, Set.of(), durability);
      try {
        history.run();
      } catch (RuntimeException e) {
        throw new AssertionError(
            "-Dkvasir.seed=" + (SEED + i) + " " + durability + ": " + e.getMessage(), e);
      }
      crashes += history.crashes;
    }
    System.out.printf(
        "%d crash states from seed %d in %.1f s%n",
        crashes, SEED, (System.nanoTime() - start) / 1e9);
  }

  /** By the seed, so that a seed is all that it takes to run a history again. */
  private static Durability durability(long seed) {
    return switch ((int) Math.floorMod(seed, 8L)) {
      case 6 -> Durability.ACK;
      case 7 -> Durability.NONE;
      default -> Durability.BATCH;
    };
  }

  /** Found by a soak: a save waited for ever for a full ring that a mark had just flushed. */
  @Test
  void aSaveThatWaitsForAFullRingIsToldWhenAMarkHasFlushed() {
    new SlabHistory(8411811904811L, Rules.KEPT, Set.of(), Durability.NONE).run();
  }

  /**
   * Found by a soak: an eviction took the block out of the index, its page could not be written,
   * and the removal beside it was acknowledged.
   */
  @Test
  void aRemovalBesideAFailedBatchIsNotAcknowledged() {
    new SlabHistory(10288919255559L, Rules.KEPT, Set.of(), Durability.NONE).run();
  }

  /** Found by a soak: the flush of an idle mark failed, and saves waited for what it covered. */
  @Test
  void aSaveThatWaitsForAFullRingIsToldWhenAMarkCouldNotFlush() {
    new SlabHistory(19690662433567L, Rules.KEPT, Set.of(), Durability.NONE).run();
  }
}
