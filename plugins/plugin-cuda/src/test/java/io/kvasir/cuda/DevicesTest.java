package io.kvasir.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.api.Fence;
import io.kvasir.api.PagedBlocks;
import io.kvasir.api.Region;
import io.kvasir.api.store.DeviceMemory;
import io.kvasir.api.store.FrameSource;
import io.kvasir.api.store.StoreException;
import io.kvasir.conformance.Seed;
import io.kvasir.cuda.standin.StandIn;
import io.kvasir.cuda.standin.StandInGpu;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** When the driver is called, by which threads, and what of it is shared and given back. */
class DevicesTest {
  private final StandIn standIn = StandIn.load();

  @AfterEach
  void nothingIsLeft() {
    standIn.recover();
    assertEquals(StandIn.NOTHING, standIn.live());
    assertEquals(0, standIn.count("virtual-calls"));
  }

  @Test
  void nothingOfCudaIsCalledBeforeAnEngineGivesMemoryOfADevice() throws StoreException {
    long calls = standIn.count("calls");
    try (DeviceMemory memory = Cuda.over(FrameSource.HOST, DeviceMemory.Way.AUTO, Bench.LOG);
        HostFrames frames = new HostFrames(memory.frames(), 8, 4096, 64, new Random(1));
        Arena arena = Arena.ofShared()) {
      Region host = Region.host(arena.allocate(8 * 4096));
      PagedBlocks blocks =
          new PagedBlocks(0, List.of(PagedBlocks.Plane.of(host, 0, 4096)), new int[] {0});
      assertFalse(memory.paths().getFirst().accepts(blocks));
      assertEquals(8, frames.payloads.size());
      assertEquals(0, memory.metrics().get("cuda.ready"));
    }
    assertEquals(calls, standIn.count("calls"));
  }

  @Test
  void noCallIsMadeByAVirtualThread() throws Exception {
    try (StandInGpu gpu = new StandInGpu(standIn);
        Bench bench = new Bench(MoverTable.AUTO)) {
      DeviceRows cache = DeviceRows.scattered(gpu, 4, 256, 8, Seed.random("virtual"));
      Fence written = Fence.event(gpu.record());
      Throwable[] failed = new Throwable[1];
      Thread engine =
          Thread.ofVirtual()
              .start(
                  () -> {
                    try (HostFrames frames =
                        new HostFrames(
                            bench.frames(), 4, cache.payloadBytes(), 64, new Random(1))) {
                      PagedBlocks blocks = cache.blocks(1, 2, 3, 4);
                      assertTrue(bench.path().accepts(blocks));
                      bench.path().gather(blocks, 0, frames.payloads, written, Bench.soon());
                      bench.path().scatter(frames.payloads, blocks, 0, Bench.soon());
                    } catch (Throwable t) {
                      failed[0] = t;
                    }
                  });
      engine.join();
      assertEquals(null, failed[0]);
    }
  }

  @Test
  void piecesAreOfAGigabyteAtMostAndPinnedInTheBackground() throws Exception {
    FrameSource greedy =
        new FrameSource() {
          @Override
          public long pieceBytes() {
            return 8L << 30;
          }
        };
    try (StandInGpu gpu = new StandInGpu(standIn);
        DeviceMemory memory = Cuda.over(greedy, DeviceMemory.Way.AUTO, Bench.LOG);
        Arena arena = Arena.ofShared()) {
      assertEquals(1L << 30, memory.frames().pieceBytes());
      List<MemorySegment> pieces = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        pieces.add(arena.allocate(1 << 20, 4096));
        memory.frames().register(pieces.getLast());
      }
      assertEquals(0, memory.metrics().get("cuda.pinned.bytes"));
      DeviceRows cache = DeviceRows.scattered(gpu, 4, 256, 8, Seed.random("pieces"));
      gpu.synchronize(gpu.stream());
      List<MemorySegment> payload = List.of(pieces.getFirst().asSlice(4096, cache.payloadBytes()));
      assertTrue(memory.paths().getFirst().accepts(cache.blocks(3)));
      memory.paths().getFirst().gather(cache.blocks(3), 0, payload, Fence.none(), Bench.soon());
      for (int i = 0; i < 1000 && memory.metrics().get("cuda.ready") == 0; i++) {
        Thread.sleep(5);
      }
      assertEquals(1, memory.metrics().get("cuda.ready"));
      assertEquals(5L << 20, memory.metrics().get("cuda.pinned.bytes"));
      assertEquals(5, standIn.count("registered"));
      pieces.forEach(memory.frames()::unregister);
      assertEquals(0, standIn.count("registered"));
    }
  }

  @Test
  void framesThatComeBackLateKeepTheDeviceOpenAndNoLonger() throws StoreException {
    try (StandInGpu gpu = new StandInGpu(standIn)) {
      DeviceRows cache = DeviceRows.scattered(gpu, 4, 256, 8, Seed.random("late"));
      gpu.synchronize(gpu.stream());
      DeviceMemory one = Cuda.over(FrameSource.HOST, DeviceMemory.Way.AUTO, Bench.LOG);
      DeviceMemory two = Cuda.over(FrameSource.HOST, DeviceMemory.Way.AUTO, Bench.LOG);
      HostFrames frames = new HostFrames(one.frames(), 2, cache.payloadBytes(), 64, new Random(1));
      assertTrue(two.paths().getFirst().accepts(cache.blocks(1, 2)));
      two.paths()
          .getFirst()
          .gather(cache.blocks(1, 2), 0, frames.payloads, Fence.none(), Bench.soon());
      assertEquals(2, standIn.count("contexts"), "the engine's, and one that both stores share");
      one.close();
      one.close();
      two.close();
      assertEquals(2, standIn.count("contexts"), "frames of the first are registered still");
      frames.close();
      assertEquals(1, standIn.count("contexts"));
    }
  }
}
