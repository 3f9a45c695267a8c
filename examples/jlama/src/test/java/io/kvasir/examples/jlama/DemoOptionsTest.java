package io.kvasir.examples.jlama;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class DemoOptionsTest {

  @Test
  void noArgumentsGiveTheDemonstrationOfTheReadme() {
    assertEquals(
        new DemoOptions(Optional.empty(), 2000, 16, 3, false, DemoStore.LOCAL),
        DemoOptions.parse(List.of()));
  }

  @Test
  void everyOptionIsTaken() {
    assertEquals(
        new DemoOptions(Optional.of(Path.of("m")), 500, 8, 1, true, DemoStore.MOONCAKE),
        DemoOptions.parse(
            List.of(
                "--model",
                "m",
                "--shared-tokens",
                "500",
                "--new-tokens",
                "8",
                "--runs",
                "1",
                "--store",
                "mooncake",
                "--json")));
  }

  @Test
  void aClusterIsNamedByTheEnvironment() {
    assertEquals(
        Map.of("master", "10.0.0.7:50051"),
        DemoStore.MOONCAKE.settings(
            Path.of("d"), Map.of("KVASIR_MOONCAKE_MASTER", "10.0.0.7:50051")));
    assertEquals(
        "--store mooncake: KVASIR_MOONCAKE_MASTER is not set; give it the host:port of a"
            + " mooncake_master",
        assertThrows(
                IllegalArgumentException.class,
                () -> DemoStore.MOONCAKE.settings(Path.of("d"), Map.of()))
            .getMessage());
    assertRefused(
        "\"tape\" is no store of the demonstration; write local or mooncake", "--store", "tape");
  }

  @Test
  void unknownOptionIsRefusedWithTheUsage() {
    assertRefused("\"--jsn\" is no option", "--jsn");
    assertRefused("usage: ./demo", "--jsn");
  }

  @Test
  void optionWithoutItsValueIsRefused() {
    assertRefused("--model: no value", "--model");
  }

  @Test
  void numberThatIsNoneIsRefused() {
    assertRefused("--runs: \"0\" is no number from 1", "--runs", "0");
    assertRefused("--runs: \"three\" is no number from 1", "--runs", "three");
  }

  private static void assertRefused(String message, String... arguments) {
    IllegalArgumentException refused =
        assertThrows(IllegalArgumentException.class, () -> DemoOptions.parse(List.of(arguments)));
    assertTrue(refused.getMessage().contains(message), refused.getMessage());
  }
}
