package io.kvasir.api;

import java.time.Duration;

/**
 * An absolute time that is passed down, never a fresh timeout.
 *
 * @param nanoTime a value of {@link System#nanoTime()}
 */
public record Deadline(long nanoTime) {
  private static final long FAR = Long.MAX_VALUE / 4;

  /** {@return the deadline that far from now; a negative duration has passed already} */
  public static Deadline after(Duration duration) {
    long nanos = duration.compareTo(Duration.ofNanos(FAR)) > 0 ? FAR : duration.toNanos();
    return new Deadline(System.nanoTime() + nanos);
  }

  /** {@return a deadline 73 years from now} */
  public static Deadline never() {
    return new Deadline(System.nanoTime() + FAR);
  }

  /** {@return the nanoseconds that are left, 0 or less once it has passed} */
  public long remainingNanos() {
    return nanoTime - System.nanoTime();
  }

  /** {@return the time that is left, never negative} */
  public Duration remaining() {
    return Duration.ofNanos(Math.max(0, remainingNanos()));
  }

  /** {@return whether it has passed} */
  public boolean expired() {
    return remainingNanos() <= 0;
  }

  /** {@return the earlier of two} */
  public Deadline min(Deadline other) {
    return other.nanoTime - nanoTime < 0 ? other : this;
  }
}
