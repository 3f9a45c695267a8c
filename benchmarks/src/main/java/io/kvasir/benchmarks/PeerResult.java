package io.kvasir.benchmarks;

import java.util.List;
import tools.jackson.databind.json.JsonMapper;

/**
 * What one JVM measured of one store; comes back as JSON.
 *
 * @param peer name of the store
 * @param figures in the order of measurement
 */
record PeerResult(String peer, List<Figure> figures) {
  private static final JsonMapper JSON = new JsonMapper();

  /** {@return the figure of that name, or null} */
  Figure figure(String what) {
    return figures.stream().filter(f -> f.what().equals(what)).findFirst().orElse(null);
  }

  String json() {
    return JSON.writeValueAsString(this);
  }

  static PeerResult of(String json) {
    return JSON.readValue(json, PeerResult.class);
  }
}
