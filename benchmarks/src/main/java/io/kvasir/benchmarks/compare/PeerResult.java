package io.kvasir.benchmarks.compare;

import java.util.List;
import tools.jackson.databind.json.JsonMapper;

/**
 * What was measured of one store; comes back from its JVM as JSON.
 *
 * @param peer the store
 * @param figures in the order of measurement
 * @param prefixMicros microseconds of a prefix lookup, scaled to 2,000 keys
 * @param prefixKeys keys of the lookups that were measured, all present
 * @param crashed the prompt whose blocks were acknowledged right before the JVM was halted; −1 for
 *     none
 * @param recovery of the store after that; null where nothing can be recovered
 */
record PeerResult(
    PeerKind peer,
    List<Figure> figures,
    double prefixMicros,
    int prefixKeys,
    int crashed,
    Recovery recovery) {
  private static final JsonMapper JSON = new JsonMapper();

  /**
   * What another JVM found after a crash.
   *
   * @param openMillis until the store was open, in a JVM that has opened nothing before
   * @param acknowledged blocks of the last round before the crash
   * @param lost of those
   * @param wrong of those that were found, held other bytes
   */
  record Recovery(double openMillis, int acknowledged, int lost, int wrong) {
    String json() {
      return JSON.writeValueAsString(this);
    }

    static Recovery of(String json) {
      return JSON.readValue(json, Recovery.class);
    }
  }

  /** {@return the figure, or null if it was not measured} */
  Figure figure(Measure of) {
    return figures.stream().filter(f -> f.of() == of).findFirst().orElse(null);
  }

  PeerResult recovered(Recovery recovery) {
    return new PeerResult(peer, figures, prefixMicros, prefixKeys, crashed, recovery);
  }

  String json() {
    return JSON.writeValueAsString(this);
  }

  static PeerResult of(String json) {
    return JSON.readValue(json, PeerResult.class);
  }
}
