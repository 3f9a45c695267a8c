package io.kvasir.benchmarks.compare;

import io.kvasir.conformance.speed.Interleaved;
import io.kvasir.conformance.speed.Median;
import io.kvasir.conformance.speed.Round;
import java.util.List;
import tools.jackson.databind.json.JsonMapper;

/**
 * What some rounds came to.
 *
 * @param of what was measured
 * @param gigabytesPerSecond of all rounds
 * @param ratio to the raw rounds around each; null for raw rounds themselves
 * @param cpuSecondsPerGigabyte of all rounds
 * @param rounds how many there were
 */
record Figure(
    Measure of, Median gigabytesPerSecond, Median ratio, Median cpuSecondsPerGigabyte, int rounds) {
  private static final JsonMapper JSON = new JsonMapper();

  /** The medians of all rounds, each against the raw rounds around it. */
  static Figure of(Measure of, Interleaved rounds) {
    return of(of, rounds, rounds.rounds());
  }

  /** The same for other rounds that lay in the same places. */
  static Figure of(Measure of, Interleaved rounds, List<Round> others) {
    return of(of, others, rounds.ratio(others));
  }

  /** The raw rounds by themselves. */
  static Figure ofRaw(Measure of, Interleaved rounds) {
    return of(of, rounds.raw(), null);
  }

  private static Figure of(Measure of, List<Round> rounds, Median ratio) {
    return new Figure(
        of,
        Median.of(rounds.stream().map(Round::gigabytesPerSecond).toList()),
        ratio,
        Median.of(rounds.stream().map(Round::cpuSecondsPerGigabyte).toList()),
        rounds.size());
  }

  String json() {
    return JSON.writeValueAsString(this);
  }

  static Figure of(String json) {
    return JSON.readValue(json, Figure.class);
  }
}
