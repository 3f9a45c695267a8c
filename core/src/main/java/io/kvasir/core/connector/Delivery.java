package io.kvasir.core.connector;

import io.kvasir.api.Deadline;
import java.util.concurrent.TimeUnit;

/** A result on its way to the one who takes it: a thread that awaits it, or poll. Lock: this. */
final class Delivery<R> {
  private volatile R result;
  private boolean taken;
  private boolean mailed;
  private int waiters;

  /** Gives the result. {@return whether nobody waits for it, so that it goes to poll} */
  synchronized boolean publish(R now) {
    result = now;
    mailed = waiters == 0;
    notifyAll();
    return mailed;
  }

  boolean done() {
    return result != null;
  }

  /** {@return the result, once it was published} */
  R result() {
    return result;
  }

  /**
   * Waits for the result, and keeps it from poll.
   *
   * @return false if the thread was interrupted
   */
  synchronized boolean await(Deadline until) {
    waiters++;
    while (result == null) {
      long left = until.remainingNanos();
      if (left <= 0) {
        return true;
      }
      try {
        TimeUnit.NANOSECONDS.timedWait(this, left);
      } catch (InterruptedException e) {
        return false;
      }
    }
    return true;
  }

  /** {@return whether the caller is the one who gets the result} */
  synchronized boolean take() {
    if (taken || result == null) {
      return false;
    }
    taken = true;
    return true;
  }

  synchronized boolean taken() {
    return taken;
  }

  /** {@return whether it went to poll} */
  synchronized boolean mailed() {
    return mailed;
  }
}
