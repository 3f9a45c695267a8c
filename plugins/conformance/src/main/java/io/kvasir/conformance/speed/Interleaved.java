package io.kvasir.conformance.speed;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * Rounds of a store between rounds of raw I/O. A disk's speed drifts within a minute by more than
 * stores differ, so that a round counts only beside the raw rounds before and after it.
 */
public final class Interleaved {
  private final List<Round> raw = new ArrayList<>();
  private final List<Round> rounds = new ArrayList<>();

  /** Begins with no round. */
  public Interleaved() {}

  /** Adds a raw round. */
  public void raw(Round round) {
    raw.add(round);
  }

  /** Adds a round that a raw one came before; another raw one must follow. */
  public void round(Round round) {
    if (raw.size() != rounds.size() + 1) {
      throw new IllegalStateException(
          "%d raw rounds before round %d".formatted(raw.size(), rounds.size() + 1));
    }
    rounds.add(round);
  }

  /** {@return how many rounds lie between raw ones} */
  public int count() {
    return rounds.size();
  }

  /** {@return the rounds as ratios to the geometric mean of the raw ones around them} */
  public Median ratio() {
    return ratio(rounds);
  }

  /** {@return the same for other rounds that lay in the same places} */
  public Median ratio(List<Round> others) {
    List<Double> ratios = new ArrayList<>();
    for (int i = 0; i < others.size(); i++) {
      double around =
          Math.sqrt(raw.get(i).gigabytesPerSecond() * raw.get(i + 1).gigabytesPerSecond());
      ratios.add(others.get(i).gigabytesPerSecond() / around);
    }
    return Median.of(ratios);
  }

  /** {@return the rounds, in their order} */
  public List<Round> rounds() {
    return List.copyOf(rounds);
  }

  /** {@return the raw rounds, in their order} */
  public List<Round> raw() {
    return List.copyOf(raw);
  }

  /** {@return the rounds by themselves, in 10^9 bytes a second} */
  public Median speed() {
    return median(rounds, Round::gigabytesPerSecond);
  }

  /** {@return the raw rounds by themselves, in 10^9 bytes a second} */
  public Median rawSpeed() {
    return median(raw, Round::gigabytesPerSecond);
  }

  /** {@return processor seconds for 10^9 bytes} */
  public Median cpu() {
    return median(rounds, Round::cpuSecondsPerGigabyte);
  }

  private static Median median(List<Round> rounds, ToDoubleFunction<Round> value) {
    return Median.of(rounds.stream().map(value::applyAsDouble).toList());
  }
}
