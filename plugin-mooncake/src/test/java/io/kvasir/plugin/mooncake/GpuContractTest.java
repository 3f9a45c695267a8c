package io.kvasir.plugin.mooncake;

import io.kvasir.conformance.EngineMemory;
import io.kvasir.cuda.standin.StandInEngine;
import java.util.Optional;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The kit once more, with every block out of a GPU and back: on the driver stand-in. */
class GpuContractTest extends MooncakeContractTest {
  @RegisterExtension static final StandInEngine ENGINE = new StandInEngine();

  GpuContractTest(TestInfo test) {
    super(test);
  }

  @Override
  protected Optional<EngineMemory> engineMemory() {
    return Optional.of(ENGINE.memory());
  }
}
