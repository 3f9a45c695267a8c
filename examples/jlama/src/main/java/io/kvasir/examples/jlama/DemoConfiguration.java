package io.kvasir.examples.jlama;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** Writes the {@code kvasir.json} of a run: a store that is empty for it. */
final class DemoConfiguration {
  private DemoConfiguration() {}

  /**
   * Writes the file.
   *
   * @param tenant of this store alone: a cluster may hold what an earlier run left
   * @param legacy whether to use the keys of LMDeploy's connector from before the fix of
   *     InternLM/lmdeploy#4930, which do not know the weights; strict otherwise
   */
  static Path write(
      Path file, Path plugins, Map<String, Object> store, String tenant, boolean legacy)
      throws IOException {
    Map<String, Object> configuration = new LinkedHashMap<>();
    configuration.put("tenant", tenant);
    configuration.put("plugins", Map.of("directory", plugins.toString()));
    configuration.put("store", store);
    // the next run needs what this one saves, however busy the machine is
    configuration.put("connector", Map.of("save-max-wait", "60s"));
    // digests of weight files stay with the run, not in the user's cache directory
    Path digests = file.resolveSibling("weight-digests");
    configuration.put("weights", Map.of("cache-directory", digests.toString()));
    if (legacy) {
      configuration.put(
          "identity",
          Map.of(
              "policy", "lmdeploy-v1", "unsafe", true, "writable", true, "cache_prefix", tenant));
    }
    Files.writeString(file, new ObjectMapper().writeValueAsString(configuration));
    return file;
  }
}
