package io.kvasir.cli;

import java.time.Duration;
import java.time.Instant;
import java.util.Locale;

/** Numbers for people. */
final class Quantities {
  private static final String[] UNITS = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};

  private Quantities() {}

  /** {@return a size with a unit that leaves one to three digits before the point} */
  static String bytes(long bytes) {
    double value = bytes;
    int unit = 0;
    while (value >= 1000 && unit < UNITS.length - 1) {
      value /= 1024;
      unit++;
    }
    return unit == 0
        ? bytes + " B"
        : String.format(Locale.ROOT, value < 10 ? "%.1f %s" : "%.0f %s", value, UNITS[unit]);
  }

  /** {@return how long ago, in the largest unit that fits} */
  static String ago(Instant then, Instant now) {
    Duration age = Duration.between(then, now);
    if (age.isNegative() || age.toSeconds() < 1) {
      return "now";
    }
    if (age.toMinutes() < 1) {
      return age.toSeconds() + " s ago";
    }
    if (age.toHours() < 1) {
      return age.toMinutes() + " min ago";
    }
    return age.toDays() < 1 ? age.toHours() + " h ago" : age.toDays() + " d ago";
  }
}
