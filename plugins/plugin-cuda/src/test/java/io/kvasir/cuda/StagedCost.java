package io.kvasir.cuda;

import io.kvasir.api.Deadline;
import io.kvasir.api.Fence;
import io.kvasir.api.PagedBlocks;
import io.kvasir.api.Region;
import io.kvasir.api.store.StoreException;
import io.kvasir.cuda.standin.StandIn;
import io.kvasir.cuda.standin.StandInGpu;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.FutureTask;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Prints what a block costs on its way through {@link StagedMover}: 32 blocks in a call, so small
 * that next to no time goes into their bytes, on the driver stand-in. Counted is the CPU time of
 * the caller and of the path's threads, calls of the driver and waiting included. Where the
 * stand-in works, its streams do with the CPU what a GPU does, and the path looks after them
 * meanwhile; where it is idle, what is left is Java's and the calls'. The goal is 10 µs. Run it
 * with the class path and the options of the tests.
 */
final class StagedCost {
  private static final int BLOCKS = 32;
  private static final int TURNS = 10; // in a round, each there and back
  private static final int ROUNDS = 15;

  private StagedCost() {}

  public static void main(String[] arguments) throws Exception {
    System.setProperty(Devices.STAND_IN, "true");
    FutureTask<Void> all =
        new FutureTask<>(
            () -> {
              measure();
              return null;
            });
    Thread.ofPlatform().name("StagedCost").start(all); // the system shows names of such threads
    all.get();
  }

  private static void measure() throws StoreException, IOException {
    try (StandInGpu gpu = new StandInGpu(StandIn.load());
        Bench bench = new Bench(MoverTable.STAGED)) {
      for (boolean idle : new boolean[] {false, true}) {
        StandIn.load().idle(idle);
        System.out.println(idle ? "the stand-in is idle" : "the stand-in works");
        for (int planes : new int[] {2, 64, 160}) {
          measure(gpu, bench, planes);
        }
      }
    }
  }

  /** {@return the CPU time of this thread and of the path's, in nanoseconds} */
  private static long used() throws IOException {
    long nanos = 0;
    try (Stream<Path> tasks = Files.list(Path.of("/proc/self/task"))) {
      for (Path task : tasks.toList()) {
        String name = Files.readString(task.resolve("comm"));
        if (name.startsWith("kvasir-cuda") || name.startsWith("StagedCost")) {
          nanos += Long.parseLong(Files.readString(task.resolve("schedstat")).split(" ", 2)[0]);
        }
      }
    }
    return nanos;
  }

  private static void measure(StandInGpu gpu, Bench bench, int planes)
      throws StoreException, IOException {
    List<PagedBlocks.Plane> list = new ArrayList<>();
    for (int p = 0; p < planes; p++) {
      Region region = gpu.allocate(2 * BLOCKS * 16);
      list.add(PagedBlocks.Plane.of(region, 0, 16));
    }
    int[] rows = IntStream.range(0, BLOCKS).map(i -> 2 * BLOCKS - 1 - 2 * i).toArray();
    PagedBlocks memory = new PagedBlocks(0, list, rows);
    bench.path().accepts(memory);
    try (HostFrames frames =
        new HostFrames(bench.frames(), BLOCKS, planes * 16L, 64, new Random(1))) {
      Deadline deadline = Deadline.after(Duration.ofMinutes(20));
      Fence written = Fence.event(gpu.record());
      List<Double> cpu = new ArrayList<>();
      long calls = 0;
      for (int round = -ROUNDS; round < ROUNDS; round++) { // the first half warms up
        calls = round == 0 ? StandIn.load().count("calls") : calls;
        long before = used();
        for (int turn = 0; turn < TURNS; turn++) {
          bench.path().gather(memory, 0, frames.payloads, written, deadline);
          bench.path().scatter(frames.payloads, memory, 0, deadline);
        }
        if (round >= 0) {
          cpu.add((used() - before) / 1e3 / BLOCKS / 2 / TURNS);
        }
      }
      cpu.sort(null);
      System.out.printf(
          "%3d planes: %.2f µs of CPU a block (median of %d rounds, %.2f … %.2f), %.2f calls of the"
              + " driver%n",
          planes,
          cpu.get(ROUNDS / 2),
          ROUNDS,
          cpu.getFirst(),
          cpu.getLast(),
          (StandIn.load().count("calls") - calls) / 2.0 / TURNS / ROUNDS / BLOCKS);
    }
  }
}
