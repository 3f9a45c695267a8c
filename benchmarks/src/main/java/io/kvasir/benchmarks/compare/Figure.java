package io.kvasir.benchmarks.compare;

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

  String json() {
    return JSON.writeValueAsString(this);
  }

  static Figure of(String json) {
    return JSON.readValue(json, Figure.class);
  }
}
