package io.kvasir.examples.jlama;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.api.EngineSpec;
import io.kvasir.api.format.Dtype;
import io.kvasir.api.format.FormatException;
import io.kvasir.api.format.FormatResolver;
import io.kvasir.api.format.KvFormat;
import io.kvasir.examples.jlama.RandomLlama.Shape;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.ServiceLoader;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JlamaFormatResolverTest {
  private final JlamaFormatResolver resolver = new JlamaFormatResolver();

  @TempDir Path temporary;
  private Path model;

  @BeforeEach
  void writeModel() throws IOException {
    model = RandomLlama.write(temporary.resolve("model"), 42, Shape.SMALL);
  }

  @Test
  void isFoundAsAServiceByItsName() {
    assertTrue(
        ServiceLoader.load(FormatResolver.class).stream()
            .anyMatch(provider -> provider.get().name().equals("jlama")));
  }

  @Test
  void blocksAreDescribedToTheByteAndNothingIsLeftOpen() {
    KvFormat format = resolver.resolve(JlamaEngine.spec(model));
    format.check();
    assertEquals(List.of(0, 1, 2), format.groups().getFirst().layers());
    assertEquals(2, format.groups().getFirst().kvHeads());
    assertEquals(32, format.groups().getFirst().kDim());
    assertEquals(Dtype.F32, format.groups().getFirst().kDtype());
    assertEquals(3 * 2 * 16 * 2 * 32 * 4, format.payloadBytes(0));
    assertEquals(new KvFormat.Compute("f32", "f32"), format.compute());
  }

  @Test
  void numericsNameVersionOperationsAndBatch() {
    String numerics = resolver.resolve(JlamaEngine.spec(model)).numerics();
    assertTrue(numerics.matches("jlama-0\\.8\\.4/[a-z-]+/[a-z0-9_]+/batch-16/pages-.+"), numerics);
  }

  @Test
  void numericsFollowTheBatchSizeInForce() {
    String before = resolver.resolve(JlamaEngine.spec(model)).numerics();
    System.setProperty(JlamaEngine.BATCH_PROPERTY, "32");
    try {
      assertNotEquals(before, resolver.resolve(JlamaEngine.spec(model)).numerics());
    } finally {
      System.setProperty(JlamaEngine.BATCH_PROPERTY, "16");
    }
  }

  @Test
  void workingTypeIsTheTypeOfTheStoredElements() {
    EngineSpec spec = spec("working_dtype", "bf16", "quantised_dtype", "i8");
    KvFormat format = resolver.resolve(spec);
    assertEquals(Dtype.BF16, format.groups().getFirst().kDtype());
    assertEquals("bf16/i8", format.compute().activations());
    assertEquals(3 * 2 * 16 * 2 * 32 * 2, format.payloadBytes(0));
  }

  @Test
  void headWidthIsReadWhereJlamaReadsIt() throws IOException {
    edit("\"hidden_size\"", "\"head_dim\": 64, \"hidden_size\"");
    assertEquals(32, kDim(), "Jlama's Llama does not read head_dim");
    edit("\"llama\"", "\"mistral\"");
    assertEquals(64, kDim());
  }

  @Test
  void cosmeticNamesAreNoIdentity() throws IOException {
    KvFormat before = resolver.resolve(JlamaEngine.spec(model));
    edit("\"hidden_size\"", "\"transformers_version\": \"4.1\", \"hidden_size\"");
    assertEquals(before, resolver.resolve(JlamaEngine.spec(model)));
  }

  @Test
  void defaultThatIsWrittenOutIsNoDifference() throws IOException {
    KvFormat before = resolver.resolve(JlamaEngine.spec(model));
    edit("\"rope_theta\": 10000.0,", "");
    assertEquals(before, resolver.resolve(JlamaEngine.spec(model)));
  }

  @Test
  void nameThatNobodyUnderstandsSeparates() throws IOException {
    KvFormat before = resolver.resolve(JlamaEngine.spec(model));
    edit("\"hidden_size\"", "\"new_rotation\": true, \"hidden_size\"");
    assertNotEquals(before.config(), resolver.resolve(JlamaEngine.spec(model)).config());
  }

  @Test
  void familyWithoutACausalCacheIsRefusedByName() throws IOException {
    edit("\"llama\"", "\"bert\"");
    assertRefused(JlamaEngine.spec(model), "model_type: \"bert\"");
  }

  @Test
  void missingNumberOfLayersIsRefusedByName() throws IOException {
    edit("\"num_hidden_layers\": 3,", "");
    assertRefused(JlamaEngine.spec(model), "num_hidden_layers: missing");
  }

  @Test
  void unknownSettingIsRefusedByName() {
    assertRefused(
        spec("working_dtype", "f32", "quantised_dtype", "f32", "kv_bits", "8"),
        "settings.kv_bits: unknown");
  }

  @Test
  void missingWorkingTypeIsRefusedByName() {
    assertRefused(spec("quantised_dtype", "f32"), "settings.working_dtype: missing");
  }

  @Test
  void workingTypeThatJlamaHasNoPagesForIsRefused() {
    assertRefused(
        spec("working_dtype", "auto", "quantised_dtype", "f32"),
        "settings.working_dtype: \"auto\"");
  }

  @Test
  void missingModelIsRefused() {
    EngineSpec spec = EngineSpec.builder().engine("jlama").blockTokens(16).build();
    assertRefused(spec, "model: missing");
  }

  @Test
  void brokenModelDirectoryIsRefusedAsAFormat() throws IOException {
    Files.delete(model.resolve("tokenizer.json"));
    assertRefused(JlamaEngine.spec(model), "no tokenizer.json");
  }

  private int kDim() {
    return resolver.resolve(JlamaEngine.spec(model)).groups().getFirst().kDim();
  }

  private void edit(String from, String to) throws IOException {
    String config = Files.readString(model.resolve("config.json"));
    assertTrue(config.contains(from), config);
    Files.writeString(model.resolve("config.json"), config.replace(from, to));
  }

  private EngineSpec spec(String... settings) {
    EngineSpec.Builder spec = EngineSpec.builder().engine("jlama").model(model).blockTokens(16);
    for (int i = 0; i < settings.length; i += 2) {
      spec.setting(settings[i], settings[i + 1]);
    }
    return spec.build();
  }

  private void assertRefused(EngineSpec spec, String expected) {
    FormatException refused = assertThrows(FormatException.class, () -> resolver.resolve(spec));
    assertTrue(refused.getMessage().contains(expected), refused.getMessage());
  }
}
