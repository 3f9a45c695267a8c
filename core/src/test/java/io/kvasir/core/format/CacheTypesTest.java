package io.kvasir.core.format;

import static io.kvasir.core.format.Models.assertRefused;
import static io.kvasir.core.format.Models.config;
import static io.kvasir.core.format.Models.hf;
import static io.kvasir.core.format.Models.inText;
import static io.kvasir.core.format.Models.manifest;
import static io.kvasir.core.format.Models.with;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.api.format.KvFormat;
import io.kvasir.api.format.KvGroup;
import io.kvasir.api.format.Quantization;
import io.kvasir.api.format.Shards;
import io.kvasir.api.identity.CanonicalJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How K and V are stored: by the engine's settings, else by the checkpoint, never by a guess. */
class CacheTypesTest {
  private static final String FP8_SCHEME =
      "{\"quant_method\":\"modelopt\",\"kv_cache_scheme\":{\"dynamic\":false,\"num_bits\":8,\"type\":\"float\"}}";

  @TempDir Path directory;

  @ParameterizedTest
  @CsvSource({
    "bfloat16, bf16, 16384", // 16 tokens, 4 layers, 2 heads, 64 + 64 elements
    "float16, f16, 32768",
    "fp8, fp8_e4m3, 16384",
    "fp8_e4m3, fp8_e4m3, 16384",
    "fp8_e5m2, fp8_e5m2, 16384",
    "int8_per_token_head, int8, 17408", // and an f32 scale for K and for V per token and head
    "fp8_per_token_head, fp8_e4m3, 17408"
  })
  void settingOfTheEngineDecides(String setting, String dtype, long bytes) {
    KvFormat format =
        hf(directory, config("llama"), Map.of("kv_cache_dtype", setting, "kv_scales", "one"));
    KvGroup group = format.groups().getFirst();
    assertEquals(dtype, group.kDtype().wireName());
    assertEquals(dtype, group.vDtype().wireName());
    assertEquals(setting.equals("bfloat16") ? 2 * bytes : bytes, format.payloadBytes(0));
    assertEquals(setting.endsWith("16"), group.quant() == null);
  }

  @Test
  void eachTypeOfTheCacheIsAnotherManifest() {
    Set<String> ids = new HashSet<>();
    List<String> types =
        List.of(
            "bfloat16",
            "float16",
            "float32",
            "fp8",
            "fp8_e5m2",
            "int8_per_token_head",
            "fp8_per_token_head");
    for (String type : types) {
      ids.add(
          manifest(
              hf(directory, config("llama"), Map.of("kv_cache_dtype", type, "kv_scales", "one"))));
    }
    assertEquals(types.size(), ids.size());
    assertTrue(
        ids.contains(
            manifest(
                hf(
                    directory,
                    config("llama"),
                    Map.of("kv_cache_dtype", "fp8_e4m3", "kv_scales", "one")))));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "nvfp4_ds_mla",
        "fp8_inc",
        "nvfp4",
        "nvfp4_4over6",
        "turboquant_k8v4",
        "turboquant_4bit_nc",
        "turboquant_k3v4_nc",
        "turboquant_3bit_nc",
        "int4_per_token_head"
      })
  void typeThatIsNotDescribedIsRefusedByName(String type) {
    String why =
        Tables.object(Tables.of(Tables.CACHE_TYPES, "vllm").get(type)).get("refused").toString();
    assertRefused(
        "settings.kv_cache_dtype: \"%s\" %s; declare the format with the resolver \"explicit\""
            .formatted(type, why),
        () -> hf(directory, config("llama"), Map.of("kv_cache_dtype", type)));
  }

  @Test
  void autoIsWhatTheCheckpointSaysAndNeverStandsInTheManifest() throws IOException {
    KvFormat auto =
        hf(directory, config("llama"), Map.of("kv_cache_dtype", "auto", "dtype", "auto"));
    assertEquals(manifest(hf(directory, config("llama"))), manifest(auto));
    assertEquals("bf16", auto.groups().getFirst().kDtype().wireName());
    assertRefused(
        "config.json: dtype: missing, and engines differ in what they take then; give the setting"
            + " dtype: bfloat16, float16 or float32",
        () -> hf(directory, with(config("llama"), "torch_dtype", null)));
    assertRefused(
        "config.json: dtype: \"float32\", of which engines compute in another type; give the"
            + " setting dtype: bfloat16, float16 or float32",
        () -> hf(directory, with(config("llama"), "torch_dtype", "\"float32\"")));
    assertEquals(
        "f32",
        hf(
                directory,
                with(config("llama"), "torch_dtype", "\"float32\""),
                Map.of("dtype", "float32"))
            .groups()
            .getFirst()
            .kDtype()
            .wireName());
  }

  @Test
  void typeThatTheModelComputesInCounts() {
    KvFormat half =
        hf(directory, config("llama"), Map.of("dtype", "half", "kv_cache_dtype", "bfloat16"));
    assertEquals("f16", half.compute().activations());
    assertNotEquals(manifest(hf(directory, config("llama"))), manifest(half));
  }

  @Test
  void checkpointAsksForFp8InFourSpellings() throws IOException {
    Map<String, Object> file = config("llama");
    List<Map<String, Object>> spellings = new ArrayList<>();
    spellings.add(with(file, "quantization_config", FP8_SCHEME));
    spellings.add(
        with(
            file,
            "quantization_config",
            "{\"quant_method\":\"compressed-tensors\",\"kv_cache_scheme\":{\"dynamic\":false,\"num_bits\":8,\"strategy\":\"tensor\",\"symmetric\":true,\"type\":\"float\",\"group_size\":null}}"));
    spellings.add(
        with(
            file, "quantization_config", "{\"quant_method\":\"fp8\",\"kv_cache_scheme\":\"FP8\"}"));
    for (Map<String, Object> spelling : spellings) {
      KvGroup group = hf(directory, spelling, Map.of("kv_scales", "one")).groups().getFirst();
      assertEquals("fp8_e4m3", group.kDtype().wireName());
      assertEquals(
          "bf16", // the engine's flag wins
          hf(directory, spelling, Map.of("kv_cache_dtype", "bfloat16"))
              .groups()
              .getFirst()
              .kDtype()
              .wireName());
    }
    hfQuant("{\"quant_algo\":\"FP8\",\"kv_cache_quant_algo\":\"FP8\"}");
    KvFormat format = hf(directory, file, Map.of("kv_scales", "one"));
    assertEquals("fp8_e4m3", format.groups().getFirst().kDtype().wireName());
    assertEquals("modelopt-fp8", format.compute().weights());
  }

  @Test
  void quantisedWeightsSayNothingAboutKv() {
    KvFormat awq =
        hf(
            directory,
            with(
                config("llama"),
                "quantization_config",
                "{\"quant_method\":\"awq\",\"bits\":4,\"group_size\":128}"));
    assertEquals("bf16", awq.groups().getFirst().kDtype().wireName());
    assertEquals("awq-int4/g128", awq.compute().weights());
    KvFormat online = hf(directory, config("llama"), Map.of("quantization", "fp8"));
    assertEquals("online-fp8", online.compute().weights());
    assertNotEquals(manifest(hf(directory, config("llama"))), manifest(online));
  }

  @Test
  void filesThatContradictEachOtherAreRefused() throws IOException {
    hfQuant("{\"quant_algo\":\"FP8\",\"kv_cache_quant_algo\":null}");
    Map<String, Object> file = with(config("llama"), "quantization_config", FP8_SCHEME);
    assertRefused(
        "kv_cache_scheme: the checkpoint's files contradict each other (fp8, not quantised); give"
            + " the setting kv_cache_dtype",
        () -> hf(directory, file, Map.of("kv_scales", "one")));
    assertNull(
        hf(directory, file, Map.of("kv_cache_dtype", "bfloat16")).groups().getFirst().quant());
    hfQuant("{\"quant_algo\":\"NVFP4\",\"kv_cache_quant_algo\":\"NVFP4\"}");
    assertRefused(
        "hf_quant_config.json: quantization.kv_cache_quant_algo: \"NVFP4\" is not understood (FP8"
            + " is); give the setting kv_cache_dtype, or declare the format with the resolver"
            + " \"explicit\"",
        () -> hf(directory, config("llama")));
  }

  @Test
  void quantisationFileCountsAndItsProducerDoesNot() throws IOException {
    String plain = manifest(hf(directory, config("llama")));
    String one =
        "{\"producer\":{\"name\":\"modelopt\",\"version\":\"%s\"},\"quantization\":{\"quant_algo\":null,\"x\":%d}}";
    Path file = directory.resolve("hf_quant_config.json");
    Files.writeString(file, one.formatted("0.23", 1));
    String with = manifest(hf(directory, config("llama")));
    assertNotEquals(plain, with);
    Files.writeString(file, one.formatted("0.24", 1));
    assertEquals(with, manifest(hf(directory, config("llama"))));
    Files.writeString(file, one.formatted("0.24", 2));
    assertNotEquals(with, manifest(hf(directory, config("llama"))));
  }

  @Test
  void scalesThatNobodyKnowsOrThatChangeAreRefused() {
    assertRefused(
        "settings.kv_scales: missing, but fp8 K and V mean nothing without their scales; give"
            + " \"one\" if all are 1.0, or {\"k\":\"sha256:…\",\"v\":\"sha256:…\"} over the"
            + " checkpoint's values (layer by layer, f32 little endian)",
        () -> hf(directory, config("llama"), Map.of("kv_cache_dtype", "fp8")));
    assertRefused(
        "settings.calculate_kv_scales: true computes scales at run time that do not lie in the"
            + " block, so no block can be shared; give scales in the checkpoint, or false",
        () ->
            hf(
                directory,
                config("llama"),
                Map.of("kv_cache_dtype", "fp8", "kv_scales", "one", "calculate_kv_scales", true)));
    assertRefused(
        "config.json: quantization_config.kv_cache_scheme.dynamic: true, but scales that are"
            + " computed at run time do not lie in the block, so no block can be shared; give the"
            + " setting kv_cache_dtype if the engine stores another type",
        () ->
            hf(
                directory,
                with(config("llama"), "quantization_config", FP8_SCHEME.replace("false", "true"))));
    assertRefused(
        "settings.kv_scales: \"checkpoint\" is not \"one\" or"
            + " {\"k\":\"sha256:…\",\"v\":\"sha256:…\"}",
        () ->
            hf(
                directory,
                config("llama"),
                Map.of("kv_cache_dtype", "fp8", "kv_scales", "checkpoint")));
    assertRefused(
        "settings.kv_scales.k: \"1.0\" is not \"sha256:\" and 64 lower-case hexadecimal digits, for"
            + " k and for v",
        () ->
            hf(
                directory,
                config("llama"),
                Map.of("kv_cache_dtype", "fp8", "kv_scales", Map.of("k", "1.0", "v", "1.0"))));
  }

  @Test
  void scalesOfTheCheckpointAreIdentity() {
    String a = "sha256:" + "a".repeat(64);
    String b = "sha256:" + "b".repeat(64);
    Set<String> ids = new HashSet<>();
    for (Object scales : List.of("one", Map.of("k", a, "v", b), Map.of("k", b, "v", a))) {
      ids.add(
          manifest(
              hf(
                  directory,
                  config("llama"),
                  Map.of("kv_cache_dtype", "fp8", "kv_scales", scales))));
    }
    assertEquals(3, ids.size());
    Map<String, Object> given =
        Map.of("kv_cache_dtype", "fp8", "kv_scales", Map.of("k", a, "v", b));
    Quantization own = hf(directory, config("llama"), given).groups().getFirst().quant();
    assertEquals(Quantization.Scales.inEngine(a), own.k().scales());
    assertEquals(Quantization.Scales.inEngine(b), own.v().scales());
    Quantization quant =
        hf(directory, config("llama"), Map.of("kv_cache_dtype", "fp8", "kv_scales", "one"))
            .groups()
            .getFirst()
            .quant();
    assertEquals( // SHA-256 of 4 × 00 00 80 3f
        "sha256:f6bb1294da2f78cd935b01c7656280df5eaa0439e9d97bc03775825a41a508e4",
        quant.k().scales().digest());
    assertEquals(quant.k().scales(), quant.v().scales());
  }

  @Test
  void layersThatAreSkippedKeepTheModelsTypeInAGroupOfTheirOwn() {
    Map<String, Object> settings =
        Map.of(
            "kv_cache_dtype",
            "fp8",
            "kv_scales",
            "one",
            "kv_cache_dtype_skip_layers",
            List.of(0, "3"));
    List<KvGroup> groups = hf(directory, config("llama"), settings).groups();
    assertEquals(List.of(0, 3), groups.get(0).layers());
    assertEquals("bf16", groups.get(0).kDtype().wireName());
    assertEquals(List.of(1, 2), groups.get(1).layers());
    assertEquals("fp8_e4m3", groups.get(1).kDtype().wireName());
    List<KvGroup> gemma =
        hf(
                directory,
                config("gemma2"),
                Map.of(
                    "kv_cache_dtype",
                    "fp8",
                    "kv_scales",
                    "one",
                    "kv_cache_dtype_skip_layers",
                    List.of("sliding_window")))
            .groups();
    assertEquals("bf16", gemma.get(0).kDtype().wireName());
    assertEquals("fp8_e4m3", gemma.get(1).kDtype().wireName());
    assertRefused(
        "settings.kv_cache_dtype_skip_layers: 4 is neither one of the 4 layers nor"
            + " \"sliding_window\"",
        () -> hf(directory, config("llama"), Map.of("kv_cache_dtype_skip_layers", List.of(4))));
  }

  @Test
  void latentVectorIsStoredPlainOrInFp8() {
    KvFormat fp8 =
        hf(directory, config("deepseek_v3"), Map.of("kv_cache_dtype", "fp8", "kv_scales", "one"));
    assertEquals(16L * 576 * 3, fp8.payloadBytes(0));
    assertRefused(
        "kv_cache_dtype: scales in the block are not stored for the latent attention of the class"
            + " deepseek_v3; choose a plain or fp8 type",
        () ->
            hf(directory, config("deepseek_v3"), Map.of("kv_cache_dtype", "int8_per_token_head")));
  }

  @Test
  void unknownSettingIsRefused() {
    assertRefused(
        "settings.kv_cache_dytpe: unknown to the resolver \"hf\", which knows calculate_kv_scales,"
            + " dtype, hf_overrides, kv_cache_dtype, kv_cache_dtype_skip_layers, kv_head_shards,"
            + " kv_scales, layout, mamba_cache_dtype, mamba_ssm_cache_dtype, numerics,"
            + " pipeline_parallel, quantization, rope_pinned_length, runner, tensor_parallel",
        () -> hf(directory, config("llama"), Map.of("kv_cache_dytpe", "fp8")));
    assertRefused(
        "settings.layout: missing; give the order of the dimensions within a block, with a version,"
            + " such as \"layer-kv-token-head/1\"",
        () -> hf(directory, config("llama"), Map.of("layout", "auto")));
    assertRefused(
        "settings.kv_cache_dtype: \"bf16\" is none of bfloat16, float16, float32, fp8, fp8_e4m3,"
            + " fp8_e5m2, int8_per_token_head, fp8_per_token_head, fp8_ds_mla, nvfp4_ds_mla,"
            + " fp8_inc, int4_per_token_head, nvfp4, nvfp4_4over6, turboquant_k8v4,"
            + " turboquant_4bit_nc, turboquant_k3v4_nc, turboquant_3bit_nc",
        () -> hf(directory, config("llama"), Map.of("kv_cache_dtype", "bf16")));
  }

  @Test
  void ranksCutHeadsAndNeverTheLatentVector() {
    KvFormat two = hf(directory, config("llama"), Map.of("tensor_parallel", 2));
    assertEquals(new Shards.Rank(2, 1), two.shards());
    assertEquals(hf(directory, config("llama")).payloadBytes(0) / 2, two.payloadBytes(0));
    assertEquals(
        two.payloadBytes(0), // 2 heads on 8 ranks are replicated
        hf(directory, config("llama"), Map.of("tensor_parallel", 8)).payloadBytes(0));
    assertEquals(
        hf(directory, config("deepseek_v3")).payloadBytes(0),
        hf(directory, config("deepseek_v3"), Map.of("tensor_parallel", 8)).payloadBytes(0));
    assertEquals(
        hf(directory, config("llama")).payloadBytes(0) / 2,
        hf(directory, config("llama"), Map.of("pipeline_parallel", 2)).payloadBytes(0));
    assertRefused(
        "groups[0].kv_heads: 2 is not divisible by the 3 shards",
        () -> hf(directory, config("llama"), Map.of("tensor_parallel", 3)));
    assertRefused(
        "settings.tensor_parallel: 0 is not a whole number from 1 to 4096",
        () -> hf(directory, config("llama"), Map.of("tensor_parallel", 0)));
  }

  @Test
  void canonicalLayoutSharesBetweenNumbersOfRanksAndNoOtherDoes() {
    Set<String> ids = new HashSet<>();
    Set<String> canonical = new HashSet<>();
    for (int tp : new int[] {1, 2}) {
      ids.add(manifest(hf(directory, config("llama"), Map.of("tensor_parallel", tp))));
      canonical.add(
          manifest(
              hf(directory, config("llama"), Map.of("tensor_parallel", tp, "kv_head_shards", 2))));
    }
    assertEquals(2, ids.size());
    assertEquals(1, canonical.size());
    assertRefused(
        "settings.kv_head_shards: 2 shards of KV heads on 4 × 1 ranks; give a multiple of"
            + " tensor_parallel, without pipeline_parallel",
        () -> hf(directory, config("llama"), Map.of("tensor_parallel", 4, "kv_head_shards", 2)));
  }

  @Test
  void engineRunnerLayoutAndNumericsAreIdentity() {
    Set<String> ids = new HashSet<>();
    ids.add(manifest(hf(directory, config("llama"))));
    ids.add(manifest(hf(directory, config("llama"), Map.of("runner", "v2"))));
    ids.add(manifest(hf(directory, config("llama"), Map.of("layout", "layer-kv-head-token/1"))));
    ids.add(manifest(hf(directory, config("llama"), Map.of("numerics", "batch-invariant/1"))));
    assertEquals(4, ids.size());
    assertEquals("vllm/v2", hf(directory, config("llama"), Map.of("runner", "v2")).engine());
  }

  @Test
  void quantisationBesideTheTextOfANestedModelIsFound() {
    Map<String, Object> nested = inText(config("gemma3"), "quantization_config", FP8_SCHEME);
    assertEquals(
        "fp8_e4m3",
        hf(directory, nested, Map.of("kv_scales", "one")).groups().getFirst().kDtype().wireName());
  }

  private void hfQuant(String quantization) throws IOException {
    Files.writeString(
        directory.resolve("hf_quant_config.json"),
        "{\"producer\":{\"name\":\"modelopt\"},\"quantization\":" + quantization + "}");
  }

  @ParameterizedTest
  @CsvSource({
    "auto, bf16, false",
    "bf16, bf16, false",
    "bfloat16, bf16, false",
    "fp8, fp8_e4m3, true",
    "fp8_e4m3, fp8_e4m3, true",
    "fp8_e5m2, fp8_e5m2, true"
  })
  void sglangsNamesHaveItsTypes(String name, String type, boolean scaled) {
    KvGroup group = sglang(config("llama"), name).groups().getFirst();
    assertEquals(type, group.kDtype().wireName());
    assertEquals(type, group.vDtype().wireName());
    assertEquals(scaled, group.quant() != null);
    if (scaled) {
      assertEquals("tensor", group.quant().k().axis());
      assertEquals("tensor", group.quant().v().axis());
      assertFalse(group.quant().k().scales().inBlock());
    }
  }

  /** SGLang stores the packed entry of latent attention only where it is asked for fp8. */
  @Test
  void sglangPacksTheLatentOfSparseModelsInFp8Alone() {
    assertNull(sglang(config("deepseek_v32"), "auto").groups().getFirst().quant());
    KvGroup fp8 = sglang(config("deepseek_v32"), "fp8_e4m3").groups().getFirst();
    assertEquals("fp8_ds_mla", fp8.quant().k().scheme());
    assertEquals(128, fp8.quant().k().groupSize());
    assertEquals("group", fp8.quant().k().axis());
    assertEquals(128, fp8.quant().v().groupSize());
    assertEquals("group", fp8.quant().v().axis());
    KvGroup index = sglang(config("deepseek_v32"), "auto").groups().getLast();
    assertEquals("fp8_e4m3", index.kDtype().wireName());
    assertTrue(index.quant().k().scales().inBlock());
  }

  private KvFormat sglang(Map<String, Object> file, String type) {
    Map<String, Object> settings =
        Map.of("layout", "l/1", "kv_scales", "one", "kv_cache_dtype", type);
    return Models.resolve("hf", "sglang", directory, CanonicalJson.text(file), settings);
  }
}
