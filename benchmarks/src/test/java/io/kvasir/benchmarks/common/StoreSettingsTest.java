package io.kvasir.benchmarks.common;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.api.ByteSize;
import io.kvasir.api.store.Setting;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StoreSettingsTest {
  enum Colour {
    DARK_RED,
    BLUE
  }

  record Settings(
      @Setting("where") Path directory,
      @Setting(value = "size", byDefault = "1 GiB") ByteSize size,
      @Setting(value = "time", byDefault = "250ms") Duration time,
      @Setting(value = "count", byDefault = "7") int count,
      @Setting(value = "colour", byDefault = "dark-red") Colour colour,
      @Setting(value = "whether", byDefault = "true") boolean whether) {}

  record Strange(@Setting(value = "strange", byDefault = "x") Thread thread) {}

  @Test
  void whatIsNotChosenHasItsDefault() {
    Settings settings =
        new StoreSettings(Map.of("directory", "a/b", "count", "9")).configuration(Settings.class);
    assertEquals(
        new Settings(
            Path.of("a/b"),
            new ByteSize(1L << 30),
            Duration.ofMillis(250),
            9,
            Colour.DARK_RED,
            true),
        settings);
  }

  @Test
  void aSettingThatTheRecordDoesNotHaveIsNamed() {
    StoreSettings settings = new StoreSettings(Map.of("directory", "a", "speed", "high"));
    Exception e =
        assertThrows(IllegalArgumentException.class, () -> settings.configuration(Settings.class));
    assertTrue(e.getMessage().contains("speed"), e.getMessage());
  }

  @Test
  void aTypeThatHasNoTextIsNamed() {
    StoreSettings settings = new StoreSettings(Map.of());
    Exception e =
        assertThrows(IllegalArgumentException.class, () -> settings.configuration(Strange.class));
    assertTrue(e.getMessage().contains("thread"), e.getMessage());
  }
}
