package io.kvasir.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.api.Fence;
import io.kvasir.api.store.StoreException;
import io.kvasir.conformance.Seed;
import io.kvasir.cuda.standin.StandIn;
import io.kvasir.cuda.standin.StandInGpu;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The order between an engine's stream and the path's, with streams that take their time: right
 * every time, and wrong once the path forgets to wait. The mutated paths are the test of the test.
 */
class OrderTest {
  private static final int TURNS = 50;
  private static final int DELAY = 500;

  private final StandIn standIn = StandIn.load();
  private final SplittableRandom random = Seed.random("order");
  private final Set<Long> engineEvents = ConcurrentHashMap.newKeySet();

  @BeforeEach
  void slow() {
    standIn.delay(DELAY);
  }

  @AfterEach
  void clear() {
    standIn.delay(0);
    standIn.recover();
    assertEquals(StandIn.NOTHING, standIn.live());
  }

  /** Whose waits are skipped. */
  private enum Skip {
    NONE,
    THE_ENGINES,
    ITS_OWN
  }

  /** {@return the driver, but that events of some seem done at once} */
  private Driver driver(Skip skip) {
    Driver real = Presence.bind(Presence.driver(Bench.LOG).orElseThrow());
    return (Driver)
        Proxy.newProxyInstance(
            Driver.class.getClassLoader(),
            new Class<?>[] {Driver.class},
            (_, method, arguments) -> {
              if (method.getName().equals("done") && skip != Skip.NONE) {
                boolean engines = engineEvents.contains((long) arguments[0]);
                if (engines == (skip == Skip.THE_ENGINES)) {
                  return true;
                }
              }
              try {
                return method.invoke(real, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  /**
   * {@return how many saves were wrong: the engine writes a block, saves it, and as soon as it has
   * it back writes into it for somebody else}
   */
  private int wrongSaves(Skip skip) throws StoreException {
    int wrong = 0;
    try (StandInGpu gpu = new StandInGpu(standIn);
        Bench bench = new Bench(MoverTable.AUTO, driver(skip))) {
      DeviceRows cache = DeviceRows.scattered(gpu, 16, 256, 8, random);
      gpu.synchronize(gpu.stream());
      try (HostFrames frames =
          new HostFrames(bench.frames(), 1, cache.payloadBytes(), 64, new Random(1))) {
        for (int turn = 0; turn < TURNS; turn++) {
          byte[] block = new byte[cache.payloadBytes()];
          random.nextBytes(block);
          int row = random.nextInt(8);
          gpu.hold(gpu.stream()); // its kernels take long enough
          cache.write(row, block);
          long event = gpu.record();
          engineEvents.add(event);
          Thread engine = new Thread(() -> releaseSoon(gpu));
          if (skip != Skip.THE_ENGINES) {
            engine.start();
          }
          bench
              .path()
              .gather(cache.blocks(row), 0, frames.payloads, Fence.event(event), Bench.soon());
          byte[] saved = frames.bytes(0);
          gpu.release(gpu.stream());
          standIn.delay(0);
          cache.write(row, new byte[block.length]); // somebody else's
          gpu.synchronize(gpu.stream());
          standIn.delay(DELAY);
          wrong += Arrays.equals(block, saved) ? 0 : 1;
        }
        standIn.delay(0);
        standIn.settle(); // what a path with a flaw has not waited for goes to these frames still
      }
    }
    return wrong;
  }

  private static void releaseSoon(StandInGpu gpu) {
    try {
      Thread.sleep(2);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    gpu.release(gpu.stream());
  }

  @Test
  void aSaveWaitsForTheEnginesEvent() throws StoreException {
    assertEquals(0, wrongSaves(Skip.NONE));
  }

  @Test
  void aPathThatSkipsTheEnginesEventIsCaught() throws StoreException {
    assertEquals(TURNS, wrongSaves(Skip.THE_ENGINES));
  }

  @Test
  void aPathThatFreesTheEnginesBlockEarlyIsCaught() throws StoreException {
    assertTrue(wrongSaves(Skip.ITS_OWN) > TURNS / 2, "each, but where this machine stumbles");
  }
}
