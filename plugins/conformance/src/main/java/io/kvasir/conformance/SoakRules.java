package io.kvasir.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kvasir.api.store.StoreHealth;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** R-SOAK: what is left after everything at once, for long. */
public interface SoakRules extends StoreRules {
  /** {@return how long this test lasts, and who hears of it} */
  Soak soak();

  /** LMCache#1034, #987: what leaks a little leaks until nothing can be stored. */
  @Test
  @Rule("R-SOAK-1")
  @Timeout(value = 365, unit = TimeUnit.DAYS) // it looks at its own clock
  default void longMixedLoadLeavesNoLeaseNoMemoryAndAStoreThatWorks() throws Exception {
    StoreBench bench = bench();
    new SoakRun(bench, soak()).run();
    if (bench.claims().usage() && bench.claims().leases()) {
      assertEquals(0, bench.store().usage().leasedBlocks(), "blocks that closed leases keep");
    }
    if (!faults().troubled()) {
      StoreHealth health = bench.store().health();
      assertEquals(StoreHealth.State.UP, health.state(), health.detail());
    }
  }
}
