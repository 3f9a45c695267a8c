package io.kvasir.plugin.mooncake;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.conformance.EngineMemory;
import io.kvasir.cuda.standin.StandIn;
import io.kvasir.cuda.standin.StandInGpu;
import io.kvasir.cuda.standin.StandInMemory;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInfo;

/** The kit once more, with every block out of a GPU and back: on the driver stand-in. */
class GpuContractTest extends MooncakeContractTest {
  private StandInGpu gpu;

  GpuContractTest(TestInfo test) {
    super(test);
  }

  @BeforeAll
  static void load() {
    StandIn.load();
  }

  @Override
  protected Optional<EngineMemory> engineMemory() {
    gpu = new StandInGpu(StandIn.load());
    return Optional.of(new StandInMemory(gpu));
  }

  @AfterEach
  void endTheEngine() {
    gpu.close();
  }

  @AfterAll
  static void nothingIsLeft() {
    StandIn standIn = StandIn.load();
    assertEquals(StandIn.NOTHING, standIn.live());
    assertTrue(standIn.count("copies") > 100, "blocks went through the driver");
    assertEquals(0, standIn.count("faults"));
    assertEquals(0, standIn.count("unpinned"));
  }
}
