package io.kvasir.plugin.local;

import static org.junit.jupiter.api.Assertions.fail;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class MutationTest {
  private static final long SEED = Long.getLong("kvasir.seed", 1);
  private static final int CRASHES = Integer.getInteger("kvasir.mutation.crashes", 60_000);

  /**
   * The one left out needs a block that is evicted and saved again at once: {@link RecoveryTest}
   * has it.
   */
  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "I7_REJECTED_PUT_DISPLACES_ITS_OLDER_BLOCK")
  void crashTestsCatch(Mutation mutation) {
    int crashes = 0;
    long start = System.nanoTime();
    for (long i = 0; crashes < CRASHES; i++) {
      SlabHistory history =
          new SlabHistory(SEED + i, mutation.rules, mutation.lies, Durability.BATCH);
      try {
        history.run();
      } catch (Weave.Violation caught) {
        System.out.printf(
            "%s: caught after %d crash states in %.1f s (seed %d): %s%n",
            mutation,
            crashes + history.crashes,
            (System.nanoTime() - start) / 1e9,
            SEED + i,
            caught.root());
        return;
      }
      crashes += history.crashes;
    }
    fail(mutation + " was not noticed in " + crashes + " crash states from seed " + SEED);
  }
}
