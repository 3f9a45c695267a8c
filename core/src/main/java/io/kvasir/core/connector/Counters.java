package io.kvasir.core.connector;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** What is in use now, but for frames and completions, which count themselves. */
final class Counters {
  final AtomicInteger requests = new AtomicInteger();
  final AtomicInteger transfers = new AtomicInteger();
  final AtomicInteger leases = new AtomicInteger();
  final Queue loads;
  final Queue saves;

  Counters(long queueBytes) {
    this.loads = new Queue(queueBytes);
    this.saves = new Queue(queueBytes);
  }

  /** The bytes that wait in one direction. */
  static final class Queue {
    private final long most;
    private final AtomicLong bytes = new AtomicLong();

    Queue(long most) {
      this.most = most;
    }

    /** {@return whether the bytes fit and are counted now} */
    boolean reserve(long more) {
      long now = bytes.get();
      while (now + more <= most) {
        if (bytes.compareAndSet(now, now + more)) {
          return true;
        }
        now = bytes.get();
      }
      return false;
    }

    /** Like {@link #reserve}, and what finds the queue empty fits whatever its size. */
    boolean reserveOrFirst(long more) {
      return bytes.compareAndSet(0, more) || reserve(more);
    }

    void release(long less) {
      bytes.addAndGet(-less);
    }

    long bytes() {
      return bytes.get();
    }
  }
}
