package io.kvasir.core.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kvasir.conformance.engine.CacheShape;
import io.kvasir.conformance.engine.PagedCache;
import io.kvasir.cuda.standin.StandIn;
import io.kvasir.cuda.standin.StandInCache;
import io.kvasir.cuda.standin.StandInGpu;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** What an engine relies on, with its memory on a GPU: on the driver stand-in. */
class GpuConnectorContractTest extends ConnectorContractTest {
  private static StandInGpu gpu;

  @BeforeAll
  static void open() {
    gpu = new StandInGpu(StandIn.load());
  }

  @AfterAll
  static void nothingIsLeft() {
    gpu.close();
    assertEquals(StandIn.NOTHING, StandIn.load().live());
    assertEquals(0, StandIn.load().count("faults"));
  }

  @Override
  protected PagedCache cache(CacheShape shape) {
    return new StandInCache(shape, gpu);
  }
}
