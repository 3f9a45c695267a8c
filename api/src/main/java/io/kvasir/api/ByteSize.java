package io.kvasir.api;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A number of bytes, as a configuration gives it.
 *
 * @param bytes ≥ 0
 */
public record ByteSize(long bytes) {
  private static final Pattern FORM = Pattern.compile("([0-9]{1,18}) ?(B|KiB|MiB|GiB|TiB)?");

  /** Checks the sign. */
  public ByteSize {
    if (bytes < 0) {
      throw new IllegalArgumentException(bytes + " bytes");
    }
  }

  /**
   * {@return the size that a text such as {@code 4096}, {@code 64 MiB} or {@code 10GiB} gives}
   *
   * @throws IllegalArgumentException if it is no size
   */
  public static ByteSize parse(String text) {
    Matcher m = FORM.matcher(text);
    if (!m.matches()) {
      throw new IllegalArgumentException(
          "\"" + text + "\" is not a size; write a number of bytes or 10GiB");
    }
    int shift =
        switch (m.group(2) == null ? "B" : m.group(2)) {
          case "KiB" -> 10;
          case "MiB" -> 20;
          case "GiB" -> 30;
          case "TiB" -> 40;
          default -> 0;
        };
    long number = Long.parseLong(m.group(1));
    if (number > Long.MAX_VALUE >> shift) {
      throw new IllegalArgumentException("\"" + text + "\" is more than a 64-bit number of bytes");
    }
    return new ByteSize(number << shift);
  }

  @Override
  public String toString() {
    String[] units = {"B", "KiB", "MiB", "GiB", "TiB"};
    int unit = 0;
    long value = bytes;
    while (unit < 4 && value >= 1024 && value % 1024 == 0) {
      value /= 1024;
      unit++;
    }
    return value + " " + units[unit];
  }
}
