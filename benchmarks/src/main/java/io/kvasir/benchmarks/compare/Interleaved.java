package io.kvasir.benchmarks.compare;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * Rounds of a store between rounds of raw I/O. A disk's speed drifts within a minute by more than
 * stores differ, so that a round counts only beside the raw rounds before and after it.
 */
final class Interleaved {
  private final List<Round> raw = new ArrayList<>();
  private final List<Round> rounds = new ArrayList<>();

  void raw(Round round) {
    raw.add(round);
  }

  /** Adds a round that a raw one came before; another raw one must follow. */
  void round(Round round) {
    if (raw.size() != rounds.size() + 1) {
      throw new IllegalStateException(
          "%d raw rounds before round %d".formatted(raw.size(), rounds.size() + 1));
    }
    rounds.add(round);
  }

  int count() {
    return rounds.size();
  }

  /** {@return the medians of all rounds, each against the raw rounds around it} */
  Figure figure(Measure of) {
    return figure(of, rounds);
  }

  /** {@return the same for other rounds that lay in the same places} */
  Figure figure(Measure of, List<Round> others) {
    List<Double> ratios = new ArrayList<>();
    for (int i = 0; i < others.size(); i++) {
      double around =
          Math.sqrt(raw.get(i).gigabytesPerSecond() * raw.get(i + 1).gigabytesPerSecond());
      ratios.add(others.get(i).gigabytesPerSecond() / around);
    }
    return new Figure(
        of,
        median(others, Round::gigabytesPerSecond),
        Median.of(ratios),
        median(others, Round::cpuSecondsPerGigabyte),
        others.size());
  }

  /** {@return the raw rounds by themselves} */
  Figure rawFigure(Measure of) {
    return new Figure(
        of,
        median(raw, Round::gigabytesPerSecond),
        null,
        median(raw, Round::cpuSecondsPerGigabyte),
        raw.size());
  }

  private static Median median(List<Round> rounds, ToDoubleFunction<Round> value) {
    return Median.of(rounds.stream().map(value::applyAsDouble).toList());
  }
}
