package io.kvasir.plugin.mooncake;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kvasir.conformance.SettingRows;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The README's reference of the configuration is what the record says. */
class ConfigurationReferenceTest {
  @Test
  void theReadmeListsEverySetting() throws IOException {
    List<String> readme = Files.readAllLines(Path.of("../README.md"));
    List<String> rows = SettingRows.of("store.mooncake", MooncakeConfig.class);
    assertEquals(
        rows, readme.stream().filter(row -> row.startsWith("| `store.mooncake.")).toList());
  }
}
