package io.kvasir.core.config;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.api.store.Setting;
import io.kvasir.core.connector.ConnectorSettings;
import io.kvasir.core.weights.WeightsConfig;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The README's reference of the configuration is what the records say. */
class ConfigurationReferenceTest {
  @Test
  void theReadmeListsEverySettingOfTheCore() throws IOException {
    check("connector", ConnectorSettings.class);
    check("weights", WeightsConfig.class);
    check("plugins", Settings.PluginSettings.class);
  }

  private static void check(String prefix, Class<? extends Record> type) throws IOException {
    String readme = Files.readString(Path.of("..", "README.md"));
    for (RecordComponent component : type.getRecordComponents()) {
      Setting setting = component.getAnnotation(Setting.class);
      String row =
          "| `%s.%s` | %s | %s |"
              .formatted(
                  prefix,
                  RecordBinder.key(component.getName()),
                  setting.byDefault().isEmpty() ? "" : "`" + setting.byDefault() + "`",
                  setting.value());
      assertTrue(readme.contains(row), () -> "README.md has no row " + row);
    }
  }
}
