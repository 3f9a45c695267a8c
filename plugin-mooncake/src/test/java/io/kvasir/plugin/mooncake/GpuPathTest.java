package io.kvasir.plugin.mooncake;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kvasir.api.Deadline;
import io.kvasir.api.Fence;
import io.kvasir.api.PagedBlocks;
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
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The store's own path to a GPU keeps the rules of a path: on the driver stand-in. */
class GpuPathTest extends TransferPathContract {
  private final StandIn standIn = StandIn.load();
  private final StandInGpu gpu = new StandInGpu(standIn);
  private final StandInMemory memory = new StandInMemory(gpu);
  private final Settings settings = new Settings(Rig.master(16 << 20));
  private Store store;

  @BeforeEach
  void open() throws StoreException {
    store = new MooncakeProvider().open(new TestContext(settings.config()));
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

  @Test
  void aPieceOfFramesIsRegisteredWithTheClusterAndPinned() throws StoreException {
    try (Arena arena = Arena.ofShared()) {
      MemorySegment piece = arena.allocate(1 << 20, 4096);
      store.frames().register(piece);
      PagedBlocks.Plane plane = PagedBlocks.Plane.of(gpu.allocate(64), 0, 64);
      Deadline soon = Deadline.after(Duration.ofSeconds(10));
      path()
          .gather(
              new PagedBlocks(0, List.of(plane), new int[1]),
              0,
              List.of(piece.asSlice(0, 64)),
              Fence.none(),
              soon);
      while (store.metrics().get("cuda.ready") == 0) {
        Thread.onSpinWait();
      }
      assertEquals(1L << 20, store.metrics().get("cuda.pinned.bytes"));
      assertEquals(1L << 20, store.metrics().get("registered.bytes"));
      store.frames().unregister(piece);
      assertEquals(0L, store.metrics().get("cuda.pinned.bytes"));
      assertEquals(0L, store.metrics().get("registered.bytes"));
    }
  }
}
