package io.kvasir.conformance.speed;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * How fast a store is.
 *
 * @param blockBytes the size of the blocks
 * @param lines an operation each
 * @param trouble why there are none; empty if there are
 */
public record SpeedReport(long blockBytes, List<Line> lines, String trouble) {
  /** Copies the lines. */
  public SpeedReport {
    lines = List.copyOf(lines);
  }

  /**
   * One operation.
   *
   * @param what such as {@code put}
   * @param against what the yardstick measures
   * @param rounds of the store, between rounds of the yardstick
   * @param speed of the store and of the yardstick, in words
   * @param note what else is to be known; empty for nothing
   */
  public record Line(String what, String against, Interleaved rounds, String speed, String note) {
    static Line bytes(String what, String against, Interleaved rounds, String note) {
      String speed =
          "%s GB/s beside %s GB/s"
              .formatted(shown(rounds.speed().value()), shown(rounds.rawSpeed().value()));
      return new Line(what, against, rounds, speed, note);
    }

    static Line lookups(Interleaved rounds) {
      String speed =
          "%s ns a block beside %s ns"
              .formatted(shown(nanos(rounds.speed())), shown(nanos(rounds.rawSpeed())));
      return new Line("lookup", "reading as many hashes out of memory", rounds, speed, "");
    }

    private static double nanos(Median gigabytesPerSecond) {
      return HashReads.BYTES / gigabytesPerSecond.value();
    }

    /** {@return the ratio: the median, and the quarters beside it} */
    public Median ratio() {
      return rounds.ratio();
    }

    /** {@return a name for machines, such as {@code get-cold}} */
    public String key() {
      return what.replaceAll("[^a-z]+", "-");
    }

    /** {@return the ratio for people, with the quarters} */
    public String shownRatio() {
      Median ratio = ratio();
      return "%s (%s to %s)"
          .formatted(shown(ratio.value()), shown(ratio.low()), shown(ratio.high()));
    }

    @Override
    public String toString() {
      return "%s: %s of %s, %s%s"
          .formatted(what, shownRatio(), against, speed, note.isEmpty() ? "" : "; " + note);
    }
  }

  /** {@return a report that says why there is none} */
  public static SpeedReport none(String trouble) {
    return new SpeedReport(0, List.of(), trouble);
  }

  /** {@return what it says, a sentence each} */
  public List<String> sentences() {
    if (!trouble.isEmpty()) {
      return List.of("the speed could not be measured: " + trouble);
    }
    List<String> out = new ArrayList<>();
    out.add(
        "speed of blocks of %d KiB, median and quarters of %d rounds"
            .formatted(blockBytes >> 10, lines.getFirst().rounds().count()));
    lines.forEach(line -> out.add(line.toString()));
    return out;
  }

  /** {@return a number with two digits that count} */
  static String shown(double value) {
    return value >= 10
        ? String.format(Locale.ROOT, "%.0f", value)
        : String.format(Locale.ROOT, "%.2g", value);
  }
}
