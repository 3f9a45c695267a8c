package io.kvasir.plugin.memory;

import io.kvasir.api.Deadline;
import io.kvasir.api.store.StoreException;
import io.kvasir.api.store.StoreException.Kind;
import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What every call goes through: it counts the calls, commits the planned faults, and lets {@code
 * close} wait for those inside. Thread-safe.
 */
final class Gate {
  private final MemoryConfiguration plan;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private boolean closed;
  private long calls;
  private int inside;
  private long loaded;

  Gate(MemoryConfiguration plan) {
    this.plan = plan;
  }

  /** Refuses what comes after the close; no fault is planned for it. */
  void check() throws StoreException {
    lock.lock();
    try {
      checkOpen();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Begins a call; {@link #leave()} ends it if this returned.
   *
   * @throws StoreException {@code CLOSED}, {@code TIMEOUT} or {@code IO}; the call did not begin
   */
  void enter(Deadline deadline) throws StoreException {
    lock.lock();
    try {
      checkOpen();
      long call = ++calls;
      inside++;
      boolean begun = false;
      try {
        hang(call, deadline);
        pause(deadline);
        if (plan.failEvery() > 0 && call % plan.failEvery() == 0) {
          throw new StoreException(Kind.IO, "call %d fails by plan".formatted(call));
        }
        begun = true;
      } finally {
        if (!begun) {
          leave();
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /** Ends a call. */
  void leave() {
    lock.lock();
    try {
      inside--;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void hang(long call, Deadline deadline) throws StoreException {
    if (plan.blackHoleAfter() > 0 && call >= plan.blackHoleAfter()) {
      awaitClose(plan.beyondDeadline() ? Deadline.never() : deadline);
      checkOpen();
      throw new StoreException(Kind.TIMEOUT, "call %d hung until its deadline".formatted(call));
    }
  }

  private void pause(Deadline deadline) throws StoreException {
    if (!plan.latency().isZero()) {
      awaitClose(Deadline.after(plan.latency()).min(deadline));
      checkOpen();
    }
    if (deadline.expired()) {
      throw new StoreException(Kind.TIMEOUT, "the deadline had passed before the call began");
    }
  }

  private void awaitClose(Deadline until) throws StoreException {
    try {
      long nanos = until.remainingNanos();
      while (!closed && nanos > 0) {
        nanos = changed.awaitNanos(nanos);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StoreException(Kind.IO, "interrupted", e);
    }
  }

  private void checkOpen() throws StoreException {
    if (closed) {
      throw new StoreException(Kind.CLOSED, "the store is closed");
    }
  }

  /**
   * {@return the number of calls that were still inside when the time was up; 0 if it was closed
   * before}
   */
  int close(Duration timeout) {
    Deadline deadline = Deadline.after(timeout);
    lock.lock();
    try {
      if (closed) {
        return 0;
      }
      closed = true;
      changed.signalAll();
      long nanos = deadline.remainingNanos();
      while (inside > 0 && nanos > 0) {
        nanos = changed.awaitNanos(nanos);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      lock.unlock();
    }
    return inside();
  }

  private int inside() {
    lock.lock();
    try {
      return inside;
    } finally {
      lock.unlock();
    }
  }

  /** {@return how the next loaded block is spoilt} */
  Spoil next() {
    if (plan.shortRead() == 0 && plan.flippedBit() == 0) {
      return Spoil.NOT;
    }
    lock.lock();
    try {
      long block = ++loaded;
      if (plan.shortRead() > 0 && block % plan.shortRead() == 0) {
        return Spoil.SHORT;
      }
      return plan.flippedBit() > 0 && block % plan.flippedBit() == 0 ? Spoil.FLIPPED : Spoil.NOT;
    } finally {
      lock.unlock();
    }
  }

  /** What happens to the bytes of a loaded block. */
  enum Spoil {
    NOT,
    SHORT,
    FLIPPED
  }
}
