package io.kvasir.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kvasir.api.Region;
import io.kvasir.api.store.TransferPath;
import io.kvasir.conformance.EngineMemory;
import io.kvasir.conformance.TransferPathContract;
import io.kvasir.cuda.standin.StandIn;
import io.kvasir.cuda.standin.StandInGpu;
import io.kvasir.cuda.standin.StandInMemory;
import org.junit.jupiter.api.AfterEach;

/** The rules of a transfer path, for one mover. */
abstract class PathContract extends TransferPathContract {
  private final StandIn standIn = StandIn.load();
  private final Bench bench;
  private final StandInGpu gpu;
  private final StandInMemory memory;

  PathContract(MoverTable table) {
    standIn.delay(table == MoverTable.LOOP ? 0 : 20);
    gpu = new StandInGpu(standIn);
    memory = new StandInMemory(gpu);
    bench = new Bench(table);
  }

  @Override
  protected TransferPath path() {
    return bench.path();
  }

  @Override
  protected EngineMemory memory() {
    return memory;
  }

  @Override
  protected Region foreign() {
    return Region.device("cuda:7", 4096, 4096);
  }

  @AfterEach
  void nothingIsLeft() {
    standIn.delay(0);
    bench.close();
    gpu.close();
    assertEquals(StandIn.NOTHING, standIn.live());
    assertEquals(0, standIn.count("faults"));
    assertEquals(0, standIn.count("unpinned"), "asynchronous copies of memory that is not pinned");
    assertEquals(0, standIn.count("virtual-calls"));
  }
}
