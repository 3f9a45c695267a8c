package io.kvasir.examples.jlama;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Where the demonstration keeps blocks. */
enum DemoStore {
  /** In a directory of the run. */
  LOCAL {
    @Override
    Map<String, Object> settings(Path directory, Map<String, String> environment) {
      return Map.of("directory", directory.toString(), "capacity", CAPACITY);
    }
  },

  /** In a cluster that somebody else runs, which finds its library by itself. */
  MOONCAKE {
    @Override
    Map<String, Object> settings(Path directory, Map<String, String> environment) {
      String master = environment.getOrDefault(MASTER, "");
      if (master.isBlank()) {
        throw new IllegalArgumentException(
            "--store mooncake: %s is not set; give it the host:port of a mooncake_master"
                .formatted(MASTER));
      }
      return Map.of("master", master);
    }
  };

  private static final String CAPACITY = "8GiB"; // a limit, not what a run takes
  private static final String MASTER = "KVASIR_MOONCAKE_MASTER";

  /**
   * {@return the store's settings}
   *
   * @param directory what the run has for a store that keeps files
   * @throws IllegalArgumentException if the environment lacks something
   */
  abstract Map<String, Object> settings(Path directory, Map<String, String> environment);

  /** {@return the name in a configuration} */
  String key() {
    return name().toLowerCase(Locale.ROOT);
  }

  static DemoStore named(String name) {
    return Arrays.stream(values())
        .filter(store -> store.key().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "--store: \"%s\" is no store of the demonstration; write %s"
                        .formatted(
                            name,
                            Arrays.stream(values())
                                .map(DemoStore::key)
                                .collect(Collectors.joining(" or ")))));
  }
}
