package io.kvasir.plugin.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;

class LatencyTest {
  @Test
  void aQuantileIsABoundAndAtMostAnEighthTooHigh() {
    Random random = new Random(1);
    for (int i = 0; i < 10_000; i++) {
      long nanos = random.nextLong() >>> (1 + random.nextInt(63));
      Latency latency = new Latency();
      latency.add(nanos);
      long bound = latency.quantile(1);
      assertTrue(bound >= nanos && bound - nanos <= nanos / 8, nanos + " is said to be " + bound);
    }
  }

  @Test
  void quantilesCountFromBelow() {
    Latency latency = new Latency();
    for (int i = 1; i <= 100; i++) {
      latency.add(i <= 99 ? 5 : 7);
    }
    assertEquals(5, latency.quantile(0.5));
    assertEquals(5, latency.quantile(0.99));
    assertEquals(7, latency.quantile(0.995));
  }

  @Test
  void nothingHasNoLatency() {
    assertEquals(0, new Latency().quantile(0.99));
  }
}
