package io.kvasir.cuda;

import io.kvasir.api.Deadline;
import io.kvasir.api.Fence;
import io.kvasir.api.PagedBlocks;
import io.kvasir.api.Region;
import io.kvasir.api.store.DeviceMemory;
import io.kvasir.api.store.FrameSource;
import io.kvasir.api.store.TransferPath;
import io.kvasir.cuda.standin.StandIn;
import io.kvasir.cuda.standin.StandInGpu;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** What a process of its own does: opens the path as a backend does and saves a block. */
final class ChildPath {
  private ChildPath() {}

  @SuppressWarnings("restricted") // loads the stand-in
  public static void main(String[] arguments) throws Exception {
    Path driver = Path.of(arguments[0]);
    String how = arguments.length > 1 ? arguments[1] : "";
    if (driver.isAbsolute()) {
      SymbolLookup.libraryLookup(driver, Arena.global());
    }
    if (how.equals("carelessly")) {
      jcuda.driver.JCudaDriver.cuInit(0);
      return;
    }
    if (!how.equals("in production")) {
      System.setProperty(Devices.STAND_IN, "true");
    }
    try (DeviceMemory memory = Cuda.over(FrameSource.HOST, DeviceMemory.Way.AUTO, Bench.LOG)) {
      if (memory.paths().isEmpty()) {
        System.out.println("no device memory");
        return;
      }
      TransferPath path = memory.paths().getFirst();
      if (how.equals("in production")) {
        Region region = Region.device("cuda:0", 4096, 4096);
        PagedBlocks any =
            new PagedBlocks(0, List.of(PagedBlocks.Plane.of(region, 0, 64)), new int[] {0});
        System.out.println(path.accepts(any) ? "accepted" : "not accepted");
        return;
      }
      try (StandInGpu gpu = new StandInGpu(StandIn.load());
          Arena arena = Arena.ofShared()) {
        Region.Device region = gpu.allocate(4096);
        byte[] block = new byte[64];
        java.util.Arrays.fill(block, (byte) 7);
        gpu.write(region.address() + 128, block);
        MemorySegment payload = arena.allocate(64, 64);
        PagedBlocks blocks =
            new PagedBlocks(0, List.of(PagedBlocks.Plane.of(region, 0, 64)), new int[] {2});
        if (!path.accepts(blocks)) {
          throw new AssertionError("not accepted");
        }
        path.gather(
            blocks,
            0,
            List.of(payload),
            Fence.event(gpu.record()),
            Deadline.after(Duration.ofSeconds(10)));
        boolean right = java.util.Arrays.equals(block, payload.toArray(ValueLayout.JAVA_BYTE));
        String name =
            Presence.bind(Presence.driver(Bench.LOG).orElseThrow()).getClass().getSimpleName();
        System.out.println(name + (right ? " moved a block" : " moved something else"));
      }
    }
  }
}
