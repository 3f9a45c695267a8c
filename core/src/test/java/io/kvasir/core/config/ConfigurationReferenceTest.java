package io.kvasir.core.config;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kvasir.conformance.SettingRows;
import io.kvasir.core.connector.ConnectorSettings;
import io.kvasir.core.weights.WeightsConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The README's reference of the configuration is what the records say. */
class ConfigurationReferenceTest {
  @Test
  void theReadmeListsEverySettingOfTheCore() throws IOException {
    List<String> readme = Files.readAllLines(Path.of("../README.md"));
    check(readme, "connector", ConnectorSettings.class);
    check(readme, "weights", WeightsConfig.class);
    check(readme, "plugins", Settings.PluginSettings.class);
  }

  private static void check(List<String> readme, String prefix, Class<? extends Record> type) {
    assertEquals(
        SettingRows.of(prefix, type),
        readme.stream().filter(row -> row.startsWith("| `" + prefix + ".")).toList());
  }
}
