package io.kvasir.examples.jlama;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** Writes the {@code kvasir.json} of a run: plugin-local in a directory of its own. */
final class DemoConfiguration {
  private static final String CAPACITY = "8GiB"; // a limit, not what a run takes

  private DemoConfiguration() {}

  /**
   * Writes the file.
   *
   * @param legacy whether to use the keys of LMDeploy's connector from before the fix of
   *     InternLM/lmdeploy#4930, which do not know the weights; strict otherwise
   */
  static Path write(Path file, Path plugins, Path store, boolean legacy) throws IOException {
    Map<String, Object> configuration = new LinkedHashMap<>();
    configuration.put("tenant", "demo");
    configuration.put("plugins", Map.of("directory", plugins.toString()));
    configuration.put(
        "store", Map.of("local", Map.of("directory", store.toString(), "capacity", CAPACITY)));
    // the next run needs what this one saves, however busy the machine is
    configuration.put("connector", Map.of("save-max-wait", "60s"));
    // digests of weight files stay with the run, not in the user's cache directory
    Path digests = file.resolveSibling("weight-digests");
    configuration.put("weights", Map.of("cache-directory", digests.toString()));
    if (legacy) {
      configuration.put(
          "identity", Map.of("policy", "lmdeploy-v1", "unsafe", true, "writable", true));
    }
    Files.writeString(file, new ObjectMapper().writeValueAsString(configuration));
    return file;
  }
}
