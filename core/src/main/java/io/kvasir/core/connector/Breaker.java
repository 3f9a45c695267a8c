package io.kvasir.core.connector;

import java.time.Duration;

/**
 * Keeps calls away from a store that fails. Opens after consecutive failures or when tripped; after
 * a delay one call may probe it, and closes it by succeeding.
 */
final class Breaker {
  private final int threshold;
  private final long delayNanos;
  private final Listeners listeners;
  private int consecutive;
  private long generation;
  private boolean open;
  private boolean probing;
  private boolean held;
  private long probeAt;
  private String reason = "";
  private boolean failedEver;
  private long lastFailure;

  Breaker(int threshold, Duration delay, Listeners listeners) {
    this.threshold = threshold;
    this.delayNanos = delay.toNanos();
    this.listeners = listeners;
  }

  /** The right to one call. The first report counts. */
  final class Permit {
    private final long of;
    private final boolean probe;
    private boolean reported;

    private Permit(long of, boolean probe) {
      this.of = of;
      this.probe = probe;
    }

    void success() {
      report(this, null);
    }

    void failure(String why) {
      report(this, why);
    }
  }

  /** {@return whether a call begun now would be permitted} */
  synchronized boolean permits() {
    return !open || (!held && !probing && System.nanoTime() - probeAt >= 0);
  }

  /** {@return the right to one call, or null while the breaker is open} */
  synchronized Permit enter() {
    if (!permits()) {
      return null;
    }
    probing = open;
    return new Permit(generation, open);
  }

  private void report(Permit permit, String why) {
    boolean changed;
    synchronized (this) {
      if (permit.reported || permit.of != generation) {
        return;
      }
      permit.reported = true;
      if (why == null) {
        consecutive = 0;
        probing = false;
        changed = permit.probe && !held;
        if (changed) {
          shut();
        }
      } else {
        lastFailure = System.nanoTime();
        failedEver = true;
        consecutive++;
        changed = permit.probe || consecutive >= threshold;
        if (changed) {
          open(why);
        }
      }
    }
    if (changed) {
      listeners.tell(l -> l.breaker(why != null, why == null ? "a probe succeeded" : why));
    }
  }

  /** Opens it at once. */
  void trip(String why) {
    trip(why, false);
  }

  /** Opens it, and lets no probe come before {@link #relieve}. */
  void hold(String why) {
    trip(why, true);
  }

  private void trip(String why, boolean hold) {
    synchronized (this) {
      boolean was = open;
      if (!open) {
        open(why);
      }
      held = held || hold;
      if (was) {
        return;
      }
    }
    listeners.tell(l -> l.breaker(true, why));
  }

  /** Lets the probe come at once if it was held: the reason is over. */
  synchronized void relieve() {
    if (held) {
      held = false;
      probeAt = System.nanoTime();
    }
  }

  private void open(String why) {
    open = true;
    probing = false;
    generation++;
    probeAt = System.nanoTime() + delayNanos;
    reason = why;
  }

  private void shut() {
    open = false;
    probing = false;
    generation++;
    consecutive = 0;
  }

  synchronized boolean isOpen() {
    return open;
  }

  /** {@return why it opened last} */
  synchronized String reason() {
    return reason;
  }

  /** {@return whether a call failed within that time} */
  synchronized boolean failedWithin(Duration time) {
    return failedEver && System.nanoTime() - lastFailure < time.toNanos();
  }
}
