package io.kvasir.examples.jlama;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.examples.jlama.RandomLlama.Shape;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ModelFilesTest {

  @TempDir Path temporary;
  private Path model;

  @BeforeEach
  void writeModel() throws IOException {
    model = RandomLlama.write(temporary.resolve("model"), 42, Shape.SMALL);
  }

  @Test
  void missingDirectoryIsNamed() {
    assertRefused(temporary.resolve("nowhere"), "nowhere: not a directory");
  }

  @Test
  void directoryWithoutConfigurationIsRefusedByName() throws IOException {
    Files.delete(model.resolve("config.json"));
    assertRefused(model, "no config.json");
  }

  @Test
  void directoryWithoutTokenizerIsRefusedByName() throws IOException {
    Files.delete(model.resolve("tokenizer.json"));
    assertRefused(model, "no tokenizer.json");
  }

  @Test
  void directoryWithoutWeightsIsRefusedByName() throws IOException {
    Files.delete(model.resolve("model.safetensors"));
    assertRefused(model, "no *.safetensors file");
  }

  @Test
  void configurationThatIsNoJsonIsRefusedWithItsFile() throws IOException {
    Files.writeString(model.resolve("config.json"), "{\"model_type\": ");
    assertEquals(
        model.resolve("config.json")
            + ": line 1, column 16: Unexpected end-of-input within/between Object entries; the file"
            + " is corrupt, fetch it again",
        assertThrows(IllegalArgumentException.class, () -> ModelFiles.read(model)).getMessage());
  }

  @Test
  void truncatedWeightsAreRefusedWithTheTensorThatIsCutOff() throws IOException {
    try (FileChannel weights = open(model)) {
      weights.truncate(weights.size() - 1);
    }
    assertRefused(model, "tensor lm_head.weight lies at");
  }

  @Test
  void weightsWithAnAbsurdHeaderLengthAreRefused() throws IOException {
    try (FileChannel weights = open(model)) {
      ByteBuffer length = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN);
      weights.write(length.putLong(0, Long.MAX_VALUE), 0);
    }
    assertRefused(model, "give a header of 9223372036854775807");
  }

  @Test
  void emptyWeightsFileIsRefused() throws IOException {
    Files.write(model.resolve("model.safetensors"), new byte[0]);
    assertRefused(model, "0 bytes");
  }

  @Test
  void copyDiffersInExactlyOneNumberOfTheLastValueProjection() throws IOException {
    ModelFiles files = ModelFiles.read(model);
    Path copy = files.copyWithOneOtherNumber(temporary.resolve("copy"));

    byte[] before = Files.readAllBytes(model.resolve("model.safetensors"));
    byte[] after = Files.readAllBytes(copy.resolve("model.safetensors"));
    assertEquals(before.length, after.length);
    long start = files.tensors().get("model.layers.2.self_attn.v_proj.weight").start();
    ByteBuffer original = ByteBuffer.wrap(before).order(ByteOrder.LITTLE_ENDIAN);
    ByteBuffer changed = ByteBuffer.wrap(after).order(ByteOrder.LITTLE_ENDIAN);
    assertEquals(-original.getFloat((int) start), changed.getFloat((int) start));
    changed.putFloat((int) start, original.getFloat((int) start));
    assertEquals(original, changed);
    assertEquals(-1, Files.mismatch(model.resolve("config.json"), copy.resolve("config.json")));
  }

  @Test
  void copyCanBeMadeAgainOverAnOldOne() throws IOException {
    ModelFiles files = ModelFiles.read(model);
    files.copyWithOneOtherNumber(temporary.resolve("copy"));
    Path copy = files.copyWithOneOtherNumber(temporary.resolve("copy"));
    assertTrue(
        Files.mismatch(model.resolve("model.safetensors"), copy.resolve("model.safetensors")) > 0);
    assertEquals(files.tensors().keySet(), ModelFiles.read(copy).tensors().keySet());
  }

  private static FileChannel open(Path model) throws IOException {
    return FileChannel.open(model.resolve("model.safetensors"), StandardOpenOption.WRITE);
  }

  private static void assertRefused(Path model, String expected) {
    IllegalArgumentException refused =
        assertThrows(IllegalArgumentException.class, () -> ModelFiles.read(model));
    assertTrue(refused.getMessage().contains(expected), refused.getMessage());
  }
}
