package io.kvasir.plugin.local;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.api.store.Setting;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/** The README's reference of the configuration is what the record says. */
class ConfigurationReferenceTest {
  @Test
  void theReadmeListsEverySetting() throws IOException {
    String readme = Files.readString(Path.of("../README.md"));
    for (RecordComponent component : LocalConfig.class.getRecordComponents()) {
      Setting setting = component.getAnnotation(Setting.class);
      String key =
          component.getName().replaceAll("([a-z])([A-Z])", "$1-$2").toLowerCase(Locale.ROOT);
      String row =
          "| `store.local.%s` | %s | %s |"
              .formatted(
                  key,
                  setting.byDefault().isEmpty() ? "" : "`" + setting.byDefault() + "`",
                  setting.value());
      assertTrue(readme.contains(row), () -> "README.md has no row " + row);
    }
  }
}
