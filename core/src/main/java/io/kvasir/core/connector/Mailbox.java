package io.kvasir.core.connector;

import io.kvasir.api.Completion;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** Results on their way to {@code poll}. No lock: poll never waits, and allocates nothing. */
final class Mailbox {
  private static final int SWEEP = 256;
  private final ConcurrentLinkedQueue<Operation<?>> queue = new ConcurrentLinkedQueue<>();
  private final AtomicInteger untaken = new AtomicInteger();
  private final AtomicInteger stale = new AtomicInteger();
  private final Logger log;
  private volatile Runnable wakeup;

  Mailbox(Logger log) {
    this.log = log;
  }

  void onWakeup(Runnable wakeup) {
    this.wakeup = wakeup;
  }

  /** Counts a result that exists now. */
  void count() {
    untaken.incrementAndGet();
  }

  /** Counts a result that was taken. */
  void uncount() {
    untaken.decrementAndGet();
  }

  /** {@return the results that nobody took} */
  int untaken() {
    return untaken.get();
  }

  void put(Operation<?> operation) {
    queue.add(operation);
    Runnable callback = wakeup;
    if (callback != null) {
      try {
        callback.run();
      } catch (Throwable t) {
        log.log(Level.WARNING, "the wake-up callback threw", t);
      }
    }
  }

  /** Notes that a result in the queue was taken by {@code await}; sweeps now and then. */
  void stale() {
    if (stale.incrementAndGet() >= SWEEP) {
      stale.set(0);
      queue.removeIf(Operation::taken);
    }
  }

  int size() {
    return queue.size();
  }

  int poll(Consumer<? super Completion> consumer) {
    int delivered = 0;
    int limit = untaken.get();
    while (delivered < limit) {
      Operation<?> operation = queue.poll();
      if (operation == null) {
        break;
      }
      if (operation.take()) {
        delivered++;
        consumer.accept(operation.completion());
      }
    }
    return delivered;
  }
}
