package io.kvasir.conformance.engine;

import java.time.Duration;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.LockSupport;

/** Work of a {@link FakeDevice} that is done in order, on a thread of its own. */
public final class Stream {
  private final LinkedBlockingQueue<Runnable> queue = new LinkedBlockingQueue<>();
  private final long delayNanos;
  private final Thread thread;
  private boolean open = true; // of the stream's thread alone

  Stream(String name, Duration delay) {
    this.delayNanos = delay.toNanos();
    this.thread = Thread.ofPlatform().name(name).daemon().start(this::work);
  }

  void enqueue(Runnable work) {
    queue.add(work);
  }

  private void work() {
    try {
      while (open) {
        Runnable next = queue.take();
        if (delayNanos > 0) {
          LockSupport.parkNanos(delayNanos);
        }
        next.run();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  void close() {
    queue.add(() -> open = false);
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
