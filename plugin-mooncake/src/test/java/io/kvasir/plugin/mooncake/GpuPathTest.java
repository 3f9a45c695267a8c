package io.kvasir.plugin.mooncake;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kvasir.api.Deadline;
import io.kvasir.api.Fence;
import io.kvasir.api.PagedBlocks;
import io.kvasir.api.store.Store;
import io.kvasir.api.store.StoreException;
import io.kvasir.conformance.TestContext;
import io.kvasir.cuda.standin.StorePathContract;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The store's own path to a GPU keeps the rules of a path: on the driver stand-in. */
class GpuPathTest extends StorePathContract {
  @Override
  protected Store open(Path directory) throws StoreException {
    return new MooncakeProvider()
        .open(new TestContext(new Settings(Rig.master(16 << 20)).config()));
  }

  @Test
  void aPieceOfFramesIsRegisteredWithTheClusterAndPinned() throws StoreException {
    try (Arena arena = Arena.ofShared()) {
      MemorySegment piece = arena.allocate(1 << 20, 4096);
      store().frames().register(piece);
      PagedBlocks.Plane plane = PagedBlocks.Plane.of(gpu.allocate(64), 0, 64);
      Deadline soon = Deadline.after(Duration.ofSeconds(10));
      path()
          .gather(
              new PagedBlocks(0, List.of(plane), new int[1]),
              0,
              List.of(piece.asSlice(0, 64)),
              Fence.none(),
              soon);
      while (store().metrics().get("cuda.ready") == 0) {
        Thread.onSpinWait();
      }
      assertEquals(1L << 20, store().metrics().get("cuda.pinned.bytes"));
      assertEquals(1L << 20, store().metrics().get("registered.bytes"));
      store().frames().unregister(piece);
      assertEquals(0L, store().metrics().get("cuda.pinned.bytes"));
      assertEquals(0L, store().metrics().get("registered.bytes"));
    }
  }
}
