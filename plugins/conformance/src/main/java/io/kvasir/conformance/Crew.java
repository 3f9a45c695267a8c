package io.kvasir.conformance;

import io.kvasir.api.Deadline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/** Threads of a test; the first one that fails fails the test. */
final class Crew {
  private final List<Thread> threads = new ArrayList<>();
  private final AtomicReference<Throwable> failure = new AtomicReference<>();

  /** Work that may throw. */
  interface Work {
    void run() throws Exception;
  }

  void start(String name, Work work) {
    threads.add(
        Thread.ofPlatform()
            .name(name)
            .start(
                () -> {
                  try {
                    work.run();
                  } catch (Throwable e) {
                    failure.compareAndSet(null, e);
                  }
                }));
  }

  boolean allWell() {
    return failure.get() == null;
  }

  /** Fails if one of them does not end in time, and says where it is. */
  void join(Duration patience) throws InterruptedException {
    Deadline deadline = Deadline.after(patience);
    for (Thread thread : threads) {
      if (!thread.join(deadline.remaining())) {
        AssertionError late = new AssertionError(thread.getName() + " does not come back");
        late.setStackTrace(thread.getStackTrace());
        throw late;
      }
    }
    join();
  }

  void join() {
    for (Thread thread : threads) {
      boolean done = false;
      while (!done) {
        try {
          thread.join();
          done = true;
        } catch (InterruptedException e) { // the test's timeout
          failure.compareAndSet(null, e);
          Thread.currentThread().interrupt();
          return;
        }
      }
    }
    if (failure.get() != null) {
      throw new AssertionError("in one of several threads", failure.get());
    }
  }
}
