package io.kvasir.examples.jlama;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.examples.jlama.RandomLlama.Shape;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RandomLlamaTest {

  @TempDir Path directory;

  @Test
  void sameSeedAndShapeGiveTheSameBytesOnEveryMachine() throws Exception {
    RandomLlama.write(directory.resolve("a"), 42, Shape.SMALL);
    assertEquals(
        "4dd09a4662334397485baa1523cc347b82466ec73fd36a8edcadffd16a82ee4c",
        sha256(directory.resolve("a/model.safetensors")));
  }

  @Test
  void anotherSeedGivesOtherWeightsOfTheSameShape() throws Exception {
    RandomLlama.write(directory.resolve("a"), 42, Shape.SMALL);
    RandomLlama.write(directory.resolve("b"), 43, Shape.SMALL);
    assertNotEquals(
        sha256(directory.resolve("a/model.safetensors")),
        sha256(directory.resolve("b/model.safetensors")));
    assertEquals(
        Files.readString(directory.resolve("a/config.json")),
        Files.readString(directory.resolve("b/config.json")));
  }

  @Test
  void headsThatDoNotDivideTheWidthAreRefused() {
    IllegalArgumentException refused =
        assertThrows(IllegalArgumentException.class, () -> new Shape(4096, 100, 256, 3, 1, 1, 288));
    assertTrue(refused.getMessage().contains("hidden 100, heads 3"), refused.getMessage());
  }

  private static String sha256(Path file)
      throws IOException, java.security.GeneralSecurityException {
    return HexFormat.of()
        .formatHex(MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file)));
  }
}
