package io.kvasir.plugin.mooncake;

import java.time.Duration;

/**
 * Keeps calls away from a cluster that does not answer. A miss and a full store are answers; an
 * outage is a master that says nothing, or a call that does not come back. Opens after outages in a
 * row, or while too many abandoned calls run in the library, and closes when a probe is answered.
 */
final class Breaker {
  private final int threshold;
  private final int mostAbandoned;
  private final long delayNanos;
  private int outages;
  private int abandoned;
  private boolean open;
  private boolean probing;
  private long openedAt;
  private String reason = "";
  private boolean failedEver;
  private long lastFailure;

  /**
   * @param threshold outages in a row that open it
   * @param mostAbandoned abandoned calls that open it, fewer than their cap
   * @param delay before a probe
   */
  Breaker(int threshold, int mostAbandoned, Duration delay) {
    this.threshold = threshold;
    this.mostAbandoned = mostAbandoned;
    this.delayNanos = delay.toNanos();
  }

  /** The cluster answered. */
  synchronized void answered() {
    outages = 0;
  }

  /** The cluster did not answer. */
  synchronized void outage(String why) {
    failedEver = true;
    lastFailure = System.nanoTime();
    outages++;
    if (outages >= threshold) {
      open(why);
    }
  }

  /** A deadline gave a call up that is still in the library. */
  synchronized void abandoned(String what) {
    abandoned++;
    failedEver = true;
    lastFailure = System.nanoTime();
    if (abandoned >= mostAbandoned) {
      open(abandoned + " calls were given up and have not come back, the last " + what);
    }
  }

  /** A call that was given up came back. */
  synchronized void cameBack() {
    abandoned--;
  }

  private void open(String why) {
    open = true;
    openedAt = System.nanoTime();
    reason = why;
  }

  synchronized boolean isOpen() {
    return open;
  }

  synchronized String reason() {
    return reason;
  }

  synchronized int abandoned() {
    return abandoned;
  }

  /** {@return whether a probe shall be made now; then {@link #probed} follows} */
  synchronized boolean wantsProbe() {
    if (!open
        || probing
        || abandoned >= mostAbandoned
        || System.nanoTime() - openedAt < delayNanos) {
      return false;
    }
    probing = true;
    return true;
  }

  /** A probe came back. */
  synchronized void probed(boolean answered) {
    probing = false;
    if (answered) {
      open = false;
      outages = 0;
    } else {
      openedAt = System.nanoTime();
    }
  }

  /** {@return whether the cluster failed to answer within that time} */
  synchronized boolean failedWithin(Duration time) {
    return failedEver && System.nanoTime() - lastFailure < time.toNanos();
  }
}
