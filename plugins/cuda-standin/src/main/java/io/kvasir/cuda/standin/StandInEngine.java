package io.kvasir.cuda.standin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.conformance.EngineMemory;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * An engine on the stand-in for each test of a store's contract, registered in a static field. When
 * the tests have ended, blocks went through the driver, without a fault, and nothing is left there.
 */
public final class StandInEngine implements BeforeAllCallback, AfterEachCallback, AfterAllCallback {
  private StandInGpu gpu;

  /** Becomes an engine with a test. */
  public StandInEngine() {}

  /** Starts the engine of a test; it ends with the test. {@return its memory} */
  public EngineMemory memory() {
    gpu = new StandInGpu(StandIn.load());
    return new StandInMemory(gpu);
  }

  @Override
  public void beforeAll(ExtensionContext tests) {
    StandIn.load();
  }

  @Override
  public void afterEach(ExtensionContext test) {
    gpu.close();
  }

  @Override
  public void afterAll(ExtensionContext tests) {
    StandIn standIn = StandIn.load();
    assertEquals(StandIn.NOTHING, standIn.live());
    assertTrue(standIn.count("copies") > 100, "blocks went through the driver");
    assertEquals(0, standIn.count("faults"));
    assertEquals(0, standIn.count("unpinned"));
  }
}
