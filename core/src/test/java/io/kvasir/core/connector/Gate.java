package io.kvasir.core.connector;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Holds calls until the test opens it, and tells the test that they came. */
final class Gate {
  private final CountDownLatch open = new CountDownLatch(1);
  private final AtomicInteger arrived = new AtomicInteger();

  /** Called by what is held. */
  void pass() throws InterruptedException {
    arrived.incrementAndGet();
    if (!open.await(60, TimeUnit.SECONDS)) {
      throw new AssertionError("the test forgot a gate");
    }
  }

  void awaitArrivals(int count) {
    Bench.until(count + " arrivals, not " + arrived, () -> arrived.get() >= count);
  }

  int arrived() {
    return arrived.get();
  }

  void open() {
    open.countDown();
  }
}
