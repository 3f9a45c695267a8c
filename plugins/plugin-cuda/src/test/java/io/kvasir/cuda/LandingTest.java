package io.kvasir.cuda;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.api.Deadline;
import io.kvasir.api.Fence;
import io.kvasir.api.Region;
import io.kvasir.api.store.Landing;
import io.kvasir.api.store.StoreException;
import io.kvasir.conformance.Seed;
import io.kvasir.cuda.standin.StandIn;
import io.kvasir.cuda.standin.StandInGpu;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Blocks that an engine's stream waits for while they are on their way. */
class LandingTest {
  private static final int SLOW = 10_000;

  private final StandIn standIn = StandIn.load();
  private final SplittableRandom random = Seed.random("landing");

  @AfterEach
  void nothingIsLeft() {
    standIn.delay(0);
    standIn.recover();
    assertEquals(StandIn.NOTHING, standIn.live());
    assertEquals(0, standIn.count("unpinned"));
  }

  private static void awaitDone(Landing landing) throws InterruptedException {
    CountDownLatch done = new CountDownLatch(1);
    landing.whenDone(done::countDown);
    assertTrue(done.await(20, TimeUnit.SECONDS), "the landing is done");
  }

  private void fill(HostFrames frames, DeviceRows cache, int[] rows) {
    for (int i = 0; i < rows.length; i++) {
      byte[] block = new byte[cache.payloadBytes()];
      random.nextBytes(block);
      frames.payloads.get(i).copyFrom(MemorySegment.ofArray(block));
      cache.put(rows[i], block);
    }
  }

  private static boolean done(StandInGpu gpu, Landing landing, int plane) {
    return landing.events(plane).stream().allMatch(event -> gpu.done(event.handle()));
  }

  /** {@return the driver, that holds each stream behind the first event that is recorded on it} */
  private static Driver holding(StandInGpu gpu, Set<Long> held) {
    Driver real = Presence.bind(Presence.driver(Bench.LOG).orElseThrow());
    return (Driver)
        Proxy.newProxyInstance(
            Driver.class.getClassLoader(),
            new Class<?>[] {Driver.class},
            (_, method, arguments) -> {
              try {
                Object result = method.invoke(real, arguments);
                if (method.getName().equals("record") && held.add((Long) arguments[1])) {
                  gpu.hold((Long) arguments[1]);
                }
                return result;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  @ParameterizedTest
  @EnumSource(MoverTable.class)
  void theFirstPlaneIsThereBeforeTheLastIsMoved(MoverTable table) throws Exception {
    Set<Long> held = ConcurrentHashMap.newKeySet();
    try (StandInGpu gpu = new StandInGpu(standIn);
        Bench bench = new Bench(table, holding(gpu, held))) {
      DeviceRows cache = DeviceRows.scattered(gpu, 8, 256, 8, random);
      gpu.synchronize(gpu.stream());
      int[] rows = cache.anyRows(2);
      try (HostFrames frames =
          new HostFrames(bench.frames(), 2, cache.payloadBytes(), 64, new Random(1))) {
        fill(frames, cache, rows);
        Landing landing = bench.path().land(frames.payloads, cache.blocks(rows), 0, Bench.soon());
        Deadline deadline = Bench.soon();
        while (!done(gpu, landing, 0)) {
          assertFalse(deadline.expired(), "the first plane never comes");
          Thread.sleep(1);
        }
        assertFalse(done(gpu, landing, 7), "an engine begins with the first while the last comes");
        Region.Device first = (Region.Device) cache.planes.getFirst().region();
        byte[] image = cache.images.getFirst();
        assertArrayEquals(image, gpu.peek(first.address(), image.length));
        held.forEach(gpu::release);
        awaitDone(landing);
        assertTrue(done(gpu, landing, 7));
        cache.check();
      }
    }
  }

  @ParameterizedTest
  @EnumSource(MoverTable.class)
  void manyLandingsOfEveryGeometryBringEachByte(MoverTable table) throws Exception {
    int[][] geometries = {{1, 64}, {2, 256}, {7, 1000}, {3, 33}, {64, 4096}, {160, 1024}};
    for (int[] geometry : geometries) {
      for (boolean pinned : new boolean[] {true, false}) {
        try (StandInGpu gpu = new StandInGpu(standIn);
            Bench bench = new Bench(table)) {
          DeviceRows cache = DeviceRows.scattered(gpu, geometry[0], geometry[1], 40, random);
          gpu.synchronize(gpu.stream());
          int[] rows = cache.anyRows(20);
          try (HostFrames frames =
              new HostFrames(
                  pinned ? bench.frames() : null,
                  20,
                  cache.payloadBytes(),
                  pinned ? 4096 : 1,
                  new Random(random.nextLong()))) {
            fill(frames, cache, rows);
            Landing landing =
                bench.path().land(frames.payloads, cache.blocks(rows), 0, Bench.soon());
            for (Fence.Event event : landing.events(geometry[0] - 1)) {
              gpu.await(gpu.stream(), event.handle());
            }
            cache.check(); // the events of the last plane are all that the engine waits for
            awaitDone(landing);
          }
        }
      }
    }
  }

  /** Far more than one buffer: its chunks take turns on two streams. */
  @Test
  void blocksThatDoNotFitTheBufferLandInSeveralChunks() throws Exception {
    try (StandInGpu gpu = new StandInGpu(standIn);
        Bench bench = new Bench(MoverTable.STAGED)) {
      DeviceRows cache = DeviceRows.scattered(gpu, 2, 3 << 20, 5, random);
      gpu.synchronize(gpu.stream());
      int[] rows = cache.anyRows(5);
      try (HostFrames frames =
          new HostFrames(bench.frames(), 5, cache.payloadBytes(), 4096, new Random(1))) {
        fill(frames, cache, rows);
        Landing landing = bench.path().land(frames.payloads, cache.blocks(rows), 0, Bench.soon());
        assertEquals(2, landing.events(0).size(), "one of each stream");
        for (int plane = 0; plane < 2; plane++) {
          for (Fence.Event event : landing.events(plane)) {
            gpu.await(gpu.stream(), event.handle());
          }
        }
        cache.check();
        awaitDone(landing);
      }
    }
  }

  @Test
  void anEventThatIsRecordedAgainStillStandsForWhatItWasRecordedForBefore() throws Exception {
    try (StandInGpu gpu = new StandInGpu(standIn);
        Bench bench = new Bench(MoverTable.STAGED)) {
      DeviceRows cache = DeviceRows.scattered(gpu, 4, 256, 64, random);
      gpu.synchronize(gpu.stream());
      try (HostFrames frames =
          new HostFrames(bench.frames(), 32, cache.payloadBytes(), 64, new Random(1))) {
        int[] rows = cache.anyRows(32);
        fill(frames, cache, rows);
        standIn.delay(200);
        Landing[] landings = new Landing[32];
        for (int i = 0; i < 32; i++) { // more than there are streams
          landings[i] =
              bench
                  .path()
                  .land(frames.payloads.subList(i, i + 1), cache.blocks(rows[i]), 0, Bench.soon());
        }
        for (Landing landing : landings) {
          for (Fence.Event event : landing.events(3)) {
            gpu.await(gpu.stream(), event.handle());
          }
        }
        cache.check();
        for (Landing landing : landings) {
          awaitDone(landing);
        }
        standIn.delay(0);
      }
    }
  }

  @Test
  void aLandingThatCannotBeOrderedLeavesNothingUnderWay() throws Exception {
    String[] calls = {"cuMemcpyHtoDAsync_v2", "cuLaunchKernel", "cuEventRecord", "cuEventCreate"};
    for (String call : calls) {
      try (StandInGpu gpu = new StandInGpu(standIn);
          Bench bench = new Bench(MoverTable.STAGED)) {
        DeviceRows cache = DeviceRows.scattered(gpu, 8, 256, 8, random);
        gpu.synchronize(gpu.stream());
        try (HostFrames frames =
            new HostFrames(bench.frames(), 1, cache.payloadBytes(), 64, new Random(1))) {
          int[] rows = {3};
          fill(frames, cache, rows);
          standIn.delay(500);
          standIn.fail(call, 1, CudaException.INVALID_VALUE, 1);
          assertThrows(
              StoreException.class,
              () -> bench.path().land(frames.payloads, cache.blocks(rows), 0, Bench.soon()),
              call);
          byte[] block = frames.bytes(0);
          frames.payloads.getFirst().fill((byte) 0x77); // somebody else's now
          Thread.sleep(10);
          Region.Device first = (Region.Device) cache.planes.getFirst().region();
          byte[] there = gpu.peek(first.address() + cache.planes.getFirst().at(3, 0), 256);
          byte[] elses = new byte[256];
          Arrays.fill(elses, (byte) 0x77);
          assertFalse(Arrays.equals(elses, there), call);
          frames.payloads.getFirst().copyFrom(MemorySegment.ofArray(block));
          awaitDone(bench.path().land(frames.payloads, cache.blocks(rows), 0, Bench.soon()));
          standIn.delay(0);
          cache.check();
        }
      }
    }
  }

  @Test
  void aDeviceThatIsLostEndsTheLandingAndIsNotAskedAgain() throws Exception {
    try (StandInGpu gpu = new StandInGpu(standIn);
        Bench bench = new Bench(MoverTable.STAGED)) {
      DeviceRows cache = DeviceRows.scattered(gpu, 8, 256, 8, random);
      gpu.synchronize(gpu.stream());
      try (HostFrames frames =
          new HostFrames(bench.frames(), 1, cache.payloadBytes(), 64, new Random(1))) {
        standIn.delay(SLOW);
        Landing landing = bench.path().land(frames.payloads, cache.blocks(3), 0, Bench.soon());
        standIn.lose();
        awaitDone(landing);
        StoreException e =
            assertThrows(
                StoreException.class,
                () -> bench.path().land(frames.payloads, cache.blocks(3), 0, Bench.soon()));
        assertEquals(StoreException.Kind.UNAVAILABLE, e.kind());
        standIn.delay(0);
        standIn.recover();
      }
    }
  }

  @Test
  void aClosedPathWaitsForWhatIsUnderWay() throws Exception {
    try (StandInGpu gpu = new StandInGpu(standIn)) {
      Bench bench = new Bench(MoverTable.STAGED);
      DeviceRows cache = DeviceRows.scattered(gpu, 8, 256, 8, random);
      gpu.synchronize(gpu.stream());
      HostFrames frames =
          new HostFrames(bench.frames(), 1, cache.payloadBytes(), 64, new Random(1));
      int[] rows = {5};
      fill(frames, cache, rows);
      standIn.delay(SLOW / 10);
      Landing landing = bench.path().land(frames.payloads, cache.blocks(rows), 0, Bench.soon());
      landing.whenDone(() -> standIn.delay(0));
      bench.close(); // the frames are registered still
      awaitDone(landing);
      cache.check();
      frames.close(); // the last one: now the device is closed
    }
  }

  /**
   * {@return how many loads were wrong: the engine reads a block right after its load was reported}
   *
   * @param wait whether its stream waits for the event
   * @param early whether the frame is lent again at once, and not when the landing is done
   */
  private int wrongLoads(boolean wait, boolean early) throws Exception {
    int wrong = 0;
    try (StandInGpu gpu = new StandInGpu(standIn);
        Bench bench = new Bench(MoverTable.AUTO)) {
      DeviceRows cache = DeviceRows.scattered(gpu, 16, 256, 8, random);
      gpu.synchronize(gpu.stream());
      try (HostFrames frames =
          new HostFrames(bench.frames(), 1, cache.payloadBytes(), 64, new Random(1))) {
        standIn.delay(2000);
        for (int turn = 0; turn < 50; turn++) {
          int[] rows = {turn % 8};
          fill(frames, cache, rows);
          Landing landing = bench.path().land(frames.payloads, cache.blocks(rows), 0, Bench.soon());
          if (!early) {
            awaitFrames(landing, wait);
          }
          frames.payloads.getFirst().fill((byte) turn);
          if (wait) {
            landing.events(15).forEach(event -> gpu.await(gpu.stream(), event.handle()));
          }
          gpu.synchronize(gpu.stream());
          wrong += right(cache, rows[0]) ? 0 : 1;
          awaitDone(landing);
        }
        standIn.delay(0);
      }
    }
    return wrong;
  }

  /** Waits until the frame may be used again; an engine that does not wait at all, does not. */
  private static void awaitFrames(Landing landing, boolean wait) throws InterruptedException {
    if (wait) {
      awaitDone(landing);
    }
  }

  private static boolean right(DeviceRows cache, int row) {
    byte[] expected = cache.payload(row);
    int at = 0;
    for (var plane : cache.planes) {
      long address = ((Region.Device) plane.region()).address() + plane.at(row, 0);
      byte[] bytes = cache.gpu.peek(address, (int) plane.pieceBytes());
      if (!Arrays.equals(bytes, 0, bytes.length, expected, at, at + bytes.length)) {
        return false;
      }
      at += bytes.length;
    }
    return true;
  }

  @Test
  void anEngineThatWaitsForTheEventsReadsWhatWasLoaded() throws Exception {
    assertEquals(0, wrongLoads(true, false));
  }

  @Test
  void anEngineThatDoesNotWaitForTheEventsIsCaught() throws Exception {
    assertTrue(wrongLoads(false, false) > 25, "each, but where this machine stumbles");
  }

  @Test
  void aFrameThatIsLentAgainBeforeTheLandingIsDoneIsCaught() throws Exception {
    assertTrue(wrongLoads(true, true) > 25, "each, but where this machine stumbles");
  }
}
