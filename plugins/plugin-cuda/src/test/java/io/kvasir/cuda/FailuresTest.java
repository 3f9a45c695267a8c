package io.kvasir.cuda;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.api.Deadline;
import io.kvasir.api.Fence;
import io.kvasir.api.PagedBlocks;
import io.kvasir.api.Region;
import io.kvasir.api.store.StoreException;
import io.kvasir.api.store.StoreException.Kind;
import io.kvasir.conformance.Seed;
import io.kvasir.cuda.standin.StandIn;
import io.kvasir.cuda.standin.StandInGpu;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The driver fails in every phase: an error of a kind, no byte touched late, and life goes on. */
@Timeout(60)
class FailuresTest {
  private static final int BLOCKS = 6;

  private final StandIn standIn = StandIn.load();
  private final SplittableRandom random = Seed.random("failures");
  private StandInGpu gpu;
  private DeviceRows cache;

  @BeforeEach
  void open() {
    standIn.delay(0);
    gpu = new StandInGpu(standIn);
    cache = DeviceRows.scattered(gpu, 6, 512, 2 * BLOCKS, random);
  }

  @AfterEach
  void nothingIsLeft() {
    standIn.delay(0);
    standIn.memory(4L << 30);
    standIn.version(12080);
    standIn.recover();
    gpu.close();
    assertEquals(StandIn.NOTHING, standIn.live());
    assertEquals(0, standIn.count("faults"));
  }

  private HostFrames frames(Bench bench) throws StoreException {
    return new HostFrames(bench.frames(), BLOCKS, cache.payloadBytes(), 64, new Random(3));
  }

  private PagedBlocks blocks() {
    return cache.blocks(cache.anyRows(BLOCKS));
  }

  private void gatherIsRight(Bench bench, HostFrames frames) throws StoreException {
    PagedBlocks from = blocks();
    Fence written = Fence.event(gpu.record());
    bench.path().gather(from, 0, frames.payloads, written, Bench.soon());
    for (int i = 0; i < BLOCKS; i++) {
      assertArrayEquals(cache.payload(from.row(i)), frames.bytes(i));
    }
  }

  private void scatterIsRight(Bench bench, HostFrames frames) throws StoreException {
    PagedBlocks to = blocks();
    for (int i = 0; i < BLOCKS; i++) {
      byte[] bytes = new byte[cache.payloadBytes()];
      random.nextBytes(bytes);
      frames.payloads.get(i).copyFrom(MemorySegment.ofArray(bytes));
      cache.put(to.row(i), bytes);
    }
    bench.path().scatter(frames.payloads, to, 0, Bench.soon());
    cache.check();
  }

  /** Fails unless the payloads stay as they are after a call has returned. */
  private static void untouched(List<MemorySegment> payloads) throws InterruptedException {
    payloads.forEach(p -> p.fill((byte) 0x33));
    Thread.sleep(15);
    for (MemorySegment payload : payloads) {
      for (byte b : payload.toArray(ValueLayout.JAVA_BYTE)) {
        assertEquals((byte) 0x33, b);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "cuCtxSetCurrent, STAGED",
    "cuPointerGetAttribute, STAGED",
    "cuStreamCreate, STAGED",
    "cuEventCreate, STAGED",
    "cuMemHostAlloc, STAGED",
    "cuMemAlloc_v2, STAGED",
    "cuMemcpyHtoDAsync_v2, STAGED",
    "cuLaunchKernel, STAGED",
    "cuMemcpyDtoHAsync_v2, STAGED",
    "cuMemcpy2DAsync_v2, STAGED",
    "cuEventRecord, STAGED",
    "cuEventQuery, STAGED",
    "cuMemcpyDtoHAsync_v2, LOOP",
    "cuMemcpyHtoDAsync_v2, LOOP",
    "cuMemcpyBatchAsync, BATCH",
  })
  void aCallThatFailsEndsTheBlocksAndNotTheWorker(String function, MoverTable table)
      throws StoreException, InterruptedException {
    for (int after = 0; after < 4; after++) {
      try (Bench bench = new Bench(table)) {
        try (HostFrames frames = frames(bench)) {
          standIn.delay(200);
          long written = gpu.record();
          gpu.synchronize(gpu.stream());
          standIn.fail(function, after, 999, 1);
          try {
            bench.path().gather(blocks(), 0, frames.payloads, Fence.event(written), Bench.soon());
            bench.path().scatter(frames.payloads, blocks(), 0, Bench.soon());
          } catch (StoreException e) {
            assertTrue(e.kind() == Kind.IO || e.kind() == Kind.UNAVAILABLE, e::toString);
            assertTrue(e.getMessage().startsWith("cuda:0"), e::toString);
          }
          untouched(frames.payloads);
          standIn.delay(0);
          standIn.fail("", 0, 0, 0);
          rewrite();
          gatherIsRight(bench, frames);
          scatterIsRight(bench, frames);
        }
      }
    }
  }

  /** Writes all that a scatter may have left half done. */
  private void rewrite() {
    for (int row = 0; row < cache.rows; row++) {
      byte[] bytes = new byte[cache.payloadBytes()];
      random.nextBytes(bytes);
      cache.write(row, bytes);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"gather", "scatter", "waiting", "idle"})
  void aLostDeviceIsSaidAtOnceAndCloseEnds(String phase) throws Exception {
    try (Bench bench = new Bench(MoverTable.AUTO)) {
      try (HostFrames frames = frames(bench)) {
        gatherIsRight(bench, frames);
        standIn.delay(10_000_000); // what is under way when the device is lost, is not done before
        if (phase.equals("waiting")) {
          gpu.hold(gpu.stream());
        }
        Fence fence = phase.equals("waiting") ? Fence.event(gpu.record()) : Fence.none();
        Thread loser =
            new Thread(
                () -> {
                  try {
                    Thread.sleep(phase.equals("idle") ? 0 : 3);
                  } catch (InterruptedException e) {
                    return;
                  }
                  standIn.lose();
                });
        loser.start();
        if (phase.equals("idle")) {
          loser.join();
        }
        StoreException e =
            assertThrows(
                StoreException.class,
                () -> {
                  if (phase.equals("scatter")) {
                    bench.path().scatter(frames.payloads, blocks(), 0, Bench.soon());
                  } else {
                    bench.path().gather(blocks(), 0, frames.payloads, fence, Bench.soon());
                  }
                });
        loser.join();
        assertEquals(Kind.UNAVAILABLE, e.kind(), e::toString);
        untouched(frames.payloads);
        StoreException later =
            assertThrows(
                StoreException.class,
                () -> bench.path().gather(blocks(), 0, frames.payloads, fence, Bench.soon()));
        assertEquals(Kind.UNAVAILABLE, later.kind());
        assertTrue(later.getMessage().contains("start the process again"), later::toString);
        gpu.release(gpu.stream());
        standIn.recover(); // so that what is left can be given back
      }
    }
  }

  @Test
  void aDeviceThatIsLostBetweenTheTwoTablesLeavesNoneBehind() throws StoreException {
    Driver real = Presence.bind(Presence.driver(Bench.LOG).orElseThrow());
    Driver losing =
        (Driver)
            Proxy.newProxyInstance(
                Driver.class.getClassLoader(),
                new Class<?>[] {Driver.class},
                (_, method, arguments) -> {
                  if (method.getName().equals("allocate") && (long) arguments[0] == 16 << 10) {
                    standIn.lose();
                  }
                  try {
                    return method.invoke(real, arguments);
                  } catch (InvocationTargetException e) {
                    throw e.getCause();
                  }
                });
    try (Bench bench = new Bench(MoverTable.STAGED, losing);
        HostFrames frames = frames(bench)) {
      assertThrows(
          StoreException.class,
          () -> bench.path().gather(blocks(), 0, frames.payloads, Fence.none(), Bench.soon()));
      standIn.recover(); // so that what is left can be given back
    }
  }

  @Test
  void withoutMemoryForABufferPiecesAreCopiedOneByOne() throws StoreException {
    try (Bench bench = new Bench(MoverTable.AUTO);
        HostFrames frames = frames(bench)) {
      standIn.memory(1 << 20); // the cache is in it already
      long launches = standIn.count("launches");
      gatherIsRight(bench, frames);
      scatterIsRight(bench, frames);
      assertEquals(launches, standIn.count("launches"));
      standIn.memory(4L << 30);
      gatherIsRight(bench, frames);
      assertTrue(standIn.count("launches") > launches, "the kernels are back");
    }
  }

  @Test
  void aDriverThatRefusesTheKernelsIsUsedWithoutThem() throws StoreException {
    standIn.fail("cuModuleLoadData", 0, 222, 1);
    long launches = standIn.count("launches");
    try (Bench bench = new Bench(MoverTable.AUTO);
        HostFrames frames = frames(bench)) {
      gatherIsRight(bench, frames);
      scatterIsRight(bench, frames);
    }
    assertEquals(launches, standIn.count("launches"));
  }

  @Test
  void framesThatCannotBePinnedGoThroughASlab() throws StoreException {
    standIn.fail("cuMemHostRegister_v2", 0, CudaException.OUT_OF_MEMORY, 1000);
    try (Bench bench = new Bench(MoverTable.AUTO);
        HostFrames frames = frames(bench)) {
      gatherIsRight(bench, frames);
      scatterIsRight(bench, frames);
      assertEquals(0, bench.metrics().get("cuda.pinned.bytes"));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"cuDevicePrimaryCtxRetain", "cuCtxSetCurrent"})
  void aDeviceThatCannotBeOpenedIsUnavailableAndTriedAgain(String function) throws StoreException {
    try (Bench bench = new Bench(MoverTable.AUTO);
        HostFrames frames = frames(bench)) {
      assertTrue(bench.path().accepts(blocks()));
      standIn.fail(function, 0, CudaException.OUT_OF_MEMORY, 1);
      StoreException e =
          assertThrows(
              StoreException.class,
              () -> bench.path().gather(blocks(), 0, frames.payloads, Fence.none(), Bench.soon()));
      assertEquals(Kind.UNAVAILABLE, e.kind());
      gatherIsRight(bench, frames);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"cuInit", "cuDeviceGetCount"})
  void aDriverWithoutADeviceMakesNoMemoryAcceptable(String function) {
    standIn.fail(function, 0, 100, 1);
    try (Bench bench = new Bench(MoverTable.AUTO)) {
      assertFalse(bench.path().accepts(blocks()));
    }
  }

  @Test
  void addressesThatAreNotTheDevicesAreRefusedBeforeTheDeviceFindsOut() throws StoreException {
    try (Bench bench = new Bench(MoverTable.AUTO);
        HostFrames frames = frames(bench)) {
      gatherIsRight(bench, frames);
      for (long address :
          new long[] {frames.payloads.getFirst().address(), 1L << 46, gpu.stream()}) {
        Region region = Region.device("cuda:0", address, 1 << 20);
        PagedBlocks foreign =
            new PagedBlocks(
                0,
                List.of(PagedBlocks.Plane.of(region, 0, cache.payloadBytes())),
                new int[] {0, 1, 2, 3, 4, 5});
        StoreException e =
            assertThrows(
                StoreException.class,
                () -> bench.path().gather(foreign, 0, frames.payloads, Fence.none(), Bench.soon()));
        assertEquals(Kind.IO, e.kind());
        assertTrue(e.getMessage().contains("not memory of cuda:0"), e::toString);
      }
      gatherIsRight(bench, frames);
    }
  }

  @Test
  void payloadsOnTheHeapAreRefused() {
    try (Bench bench = new Bench(MoverTable.AUTO)) {
      MemorySegment heap = MemorySegment.ofArray(new byte[cache.payloadBytes()]);
      assertThrows(
          IllegalArgumentException.class,
          () -> bench.path().gather(blocks(), 0, List.of(heap), Fence.none(), Bench.soon()));
    }
  }

  @Test
  void anEventThatIsNoneIsAnError() throws StoreException {
    try (Bench bench = new Bench(MoverTable.AUTO);
        HostFrames frames = frames(bench)) {
      StoreException e =
          assertThrows(
              StoreException.class,
              () ->
                  bench
                      .path()
                      .gather(blocks(), 0, frames.payloads, Fence.event(4096), Bench.soon()));
      assertEquals("cuda:0: cuEventQuery: CUDA error 400, invalid handle", e.getMessage());
      gatherIsRight(bench, frames);
    }
  }

  @Test
  void aDeadlineInTheMiddleEndsBetweenChunks() throws Exception {
    DeviceRows large = DeviceRows.scattered(gpu, 2, 2 << 20, 12, random);
    try (Bench bench = new Bench(MoverTable.LOOP);
        HostFrames frames =
            new HostFrames(bench.frames(), 12, large.payloadBytes(), 64, new Random(5))) {
      gpu.synchronize(gpu.stream());
      standIn.delay(20_000);
      StoreException e =
          assertThrows(
              StoreException.class,
              () ->
                  bench
                      .path()
                      .gather(
                          large.blocks(large.anyRows(12)),
                          0,
                          frames.payloads,
                          Fence.none(),
                          Deadline.after(Duration.ofMillis(100))));
      assertEquals(Kind.TIMEOUT, e.kind());
      assertTrue(e.getMessage().matches("\\d+ of 12 blocks were moved by the deadline"));
      untouched(frames.payloads);
    }
  }

  @Test
  void closingWaitsForWhatRuns() throws Exception {
    Bench bench = new Bench(MoverTable.LOOP);
    try (HostFrames frames = frames(bench)) {
      gpu.synchronize(gpu.stream());
      bench.path().accepts(blocks());
      standIn.delay(2000);
      PagedBlocks from = blocks();
      Throwable[] failed = new Throwable[1];
      Thread caller =
          Thread.ofVirtual()
              .start(
                  () -> {
                    try {
                      bench.path().gather(from, 0, frames.payloads, Fence.none(), Bench.soon());
                    } catch (Throwable t) {
                      failed[0] = t;
                    }
                  });
      long calls = standIn.count("copies");
      while (standIn.count("copies") < calls + 2) { // it is under way
        Thread.sleep(1);
      }
      bench.close();
      caller.join();
      assertEquals(null, failed[0]);
      for (int i = 0; i < BLOCKS; i++) {
        assertArrayEquals(cache.payload(from.row(i)), frames.bytes(i));
      }
      assertEquals(
          Kind.CLOSED,
          assertThrows(
                  StoreException.class,
                  () -> bench.path().gather(from, 0, frames.payloads, Fence.none(), Bench.soon()))
              .kind());
      assertFalse(bench.path().accepts(from));
    }
  }
}
