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
      Durability durability =
          i % 8 == 6 ? Durability.ACK : i % 8 == 7 ? Durability.NONE : Durability.BATCH;
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
}
