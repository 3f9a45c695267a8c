package io.kvasir.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.kvasir.api.PagedBlocks;
import io.kvasir.api.store.StoreException;
import io.kvasir.conformance.Seed;
import io.kvasir.cuda.standin.StandIn;
import io.kvasir.cuda.standin.StandInGpu;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What an engine says is its memory, is asked for, and not with every block. */
class RegionsTest {
  private final StandIn standIn = StandIn.load();
  private final AtomicInteger asked = new AtomicInteger();

  @AfterEach
  void nothingIsLeft() {
    standIn.recover();
    assertEquals(StandIn.NOTHING, standIn.live());
  }

  /** {@return the driver, with its answers to what an address is counted} */
  private Driver driver() {
    Driver real = Presence.bind(Presence.driver(Bench.LOG).orElseThrow());
    return (Driver)
        Proxy.newProxyInstance(
            Driver.class.getClassLoader(),
            new Class<?>[] {Driver.class},
            (_, method, arguments) -> {
              if (method.getName().equals("deviceOf")) { // of memory of a device alone
                asked.incrementAndGet();
              }
              try {
                return method.invoke(real, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  @Test
  void eachRegionIsAskedForOnceAndAgainAfterAFailure() throws StoreException {
    try (StandInGpu gpu = new StandInGpu(standIn);
        Bench bench = new Bench(MoverTable.STAGED, driver())) {
      DeviceRows cache = DeviceRows.scattered(gpu, 10, 64, 4, Seed.random("regions"));
      gpu.synchronize(gpu.stream());
      PagedBlocks blocks = cache.blocks(2);
      try (HostFrames frames =
          new HostFrames(bench.frames(), 1, cache.payloadBytes(), 64, new Random(1))) {
        bench.path().scatter(frames.payloads, blocks, 0, Bench.soon());
        assertEquals(10, asked.getAndSet(0));
        bench.path().scatter(frames.payloads, cache.blocks(3), 0, Bench.soon());
        assertEquals(0, asked.get());
        standIn.fail("cuLaunchKernel", 0, CudaException.INVALID_VALUE, 1);
        assertThrows(
            StoreException.class,
            () -> bench.path().scatter(frames.payloads, blocks, 0, Bench.soon()));
        bench.path().scatter(frames.payloads, blocks, 0, Bench.soon());
        assertEquals(10, asked.get());
      }
    }
  }
}
