package io.kvasir.plugin.local;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kvasir.api.Region;
import io.kvasir.api.store.Store;
import io.kvasir.api.store.StoreException;
import io.kvasir.api.store.TransferPath;
import io.kvasir.conformance.EngineMemory;
import io.kvasir.conformance.TestContext;
import io.kvasir.conformance.TransferPathContract;
import io.kvasir.cuda.standin.StandIn;
import io.kvasir.cuda.standin.StandInGpu;
import io.kvasir.cuda.standin.StandInMemory;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** The store's own path to a GPU keeps the rules of a path: on the driver stand-in. */
class GpuPathTest extends TransferPathContract {
  private final StandIn standIn = StandIn.load();
  private final StandInGpu gpu = new StandInGpu(standIn);
  private final StandInMemory memory = new StandInMemory(gpu);
  @TempDir Path directory;
  private Store store;

  @BeforeEach
  void open() throws StoreException {
    store = new LocalProvider().open(new TestContext(Fixture.config(directory, 64 << 20)));
  }

  @AfterEach
  void nothingIsLeft() throws StoreException {
    store.close();
    gpu.close();
    assertEquals(StandIn.NOTHING, standIn.live());
  }

  @Override
  protected TransferPath path() {
    return store.transferPaths().getFirst();
  }

  @Override
  protected EngineMemory memory() {
    return memory;
  }

  @Override
  protected Region foreign() {
    return Region.device("cuda:1", 4096, 4096);
  }
}
