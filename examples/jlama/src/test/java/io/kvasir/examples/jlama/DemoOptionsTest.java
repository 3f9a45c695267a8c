package io.kvasir.examples.jlama;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class DemoOptionsTest {

  @Test
  void noArgumentsGiveTheDemonstrationOfTheReadme() {
    assertEquals(
        new DemoOptions(Optional.empty(), 2000, 16, 3, false), DemoOptions.parse(List.of()));
  }

  @Test
  void everyOptionIsTaken() {
    assertEquals(
        new DemoOptions(Optional.of(Path.of("m")), 500, 8, 1, true),
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
                "--json")));
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
