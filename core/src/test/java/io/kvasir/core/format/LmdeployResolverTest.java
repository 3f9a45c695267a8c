package io.kvasir.core.format;

import static io.kvasir.core.format.Models.assertRefused;
import static io.kvasir.core.format.Models.config;
import static io.kvasir.core.format.Models.manifest;
import static io.kvasir.core.format.Models.with;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.kvasir.api.format.KvFormat;
import io.kvasir.api.format.KvGroup;
import io.kvasir.api.format.Quantization;
import io.kvasir.api.identity.CanonicalJson;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LmdeployResolverTest {
  @TempDir Path directory;

  /** Per token: 32 layers × 8 heads × 128, the geometry of Llama-3.1-8B; by formats.md. */
  @ParameterizedTest
  @CsvSource({
    "0, 131072, bf16, bf16",
    "8, 67584, int8, int8",
    "4, 34816, int4, int4",
    "42, 26112, int4, int2",
    "16, 65536, fp8_e4m3, fp8_e4m3",
    "17, 65536, fp8_e5m2, fp8_e5m2"
  })
  void policyDecidesTypesScalesAndSize(int policy, long perToken, String k, String v) {
    Map<String, Object> file =
        with(
            with(
                with(with(config("llama"), "num_hidden_layers", "32"), "hidden_size", "4096"),
                "num_attention_heads",
                "32"),
            "num_key_value_heads",
            "8");
    KvFormat format = pytorch(file, Map.of("quant_policy", policy, "kv_scales", "one"));
    assertEquals(perToken * Models.BLOCK, format.payloadBytes(0));
    KvGroup group = format.groups().getFirst();
    assertEquals(k, group.kDtype().wireName());
    assertEquals(v, group.vDtype().wireName());
    assertEquals(policy == 0, group.quant() == null);
    if (List.of(4, 8, 42).contains(policy)) {
      assertEquals(Quantization.Scales.IN_BLOCK, group.quant().k().scales());
      assertEquals("bf16", group.quant().v().scaleDtype().wireName());
    }
  }

  @Test
  void eachPolicyTypeAndBackendIsAnotherManifest() {
    Set<String> ids = new HashSet<>();
    for (int policy : new int[] {0, 4, 8, 16, 17, 42}) {
      for (String dtype : List.of("float16", "bfloat16")) {
        ids.add(
            manifest(
                pytorch(
                    config("llama"),
                    Map.of("quant_policy", policy, "dtype", dtype, "kv_scales", "one"))));
        if (policy < 16) {
          ids.add(
              manifest(
                  lmdeploy(
                      config("llama"),
                      Map.of("quant_policy", policy, "dtype", dtype, "backend", "turbomind"))));
        }
      }
    }
    assertEquals(2 * (6 + 3), ids.size());
  }

  @Test
  void backendIsTheEngine() {
    Map<String, Object> none = Map.of("quant_policy", 0);
    assertEquals("lmdeploy-pytorch", pytorch(config("llama"), none).engine());
    assertEquals("layer-kv-token-head/1", pytorch(config("llama"), none).layout());
    KvFormat turbomind = named("turbomind", config("llama"), none);
    assertEquals("turbomind", turbomind.engine());
    assertEquals("turbomind-block/1", turbomind.layout());
    assertEquals("turbomind", named("lmdeploy-turbomind", config("llama"), none).engine());
    assertEquals(
        manifest(pytorch(config("llama"), none)),
        manifest(named("lmdeploy-pytorch", config("llama"), none)));
    assertRefused(
        "settings.backend: missing; give \"pytorch\" or \"turbomind\": they store blocks"
            + " differently",
        () -> lmdeploy(config("llama"), none));
    assertRefused(
        "settings.backend: \"torch\" is not \"pytorch\" or \"turbomind\"",
        () -> lmdeploy(config("llama"), Map.of("quant_policy", 0, "backend", "torch")));
    assertRefused(
        "settings.backend: lmdeploy-pytorch contradicts the engine's name turbomind",
        () -> named("turbomind", config("llama"), Map.of("quant_policy", 0, "backend", "pytorch")));
  }

  @ParameterizedTest
  @CsvSource({
    "none, 0",
    "int4, 4",
    "int8, 8",
    "fp8, 16",
    "fp8_e4m3, 16",
    "fp8_e5m2, 17",
    "turbo_quant, 42"
  })
  void policyHasANameToo(String name, int policy) {
    Map<String, Object> ones = Map.of("kv_scales", "one");
    assertEquals(
        manifest(pytorch(config("llama"), and(ones, "quant_policy", policy))),
        manifest(pytorch(config("llama"), and(ones, "quant_policy", name))));
  }

  @Test
  void policyThatIsNotGivenOrNotKnownIsRefused() {
    assertRefused(
        "settings.quant_policy: missing; give 0 where K and V are stored as computed, else 4, 8,"
            + " 16, 17 or 42",
        () -> pytorch(config("llama"), Map.of()));
    assertRefused(
        "settings.quant_policy: \"5\" is none of 0, 4, 8, 16, 17, 42",
        () -> pytorch(config("llama"), Map.of("quant_policy", 5)));
    assertRefused(
        "settings.kv_cache_dtype: unknown to the resolver \"lmdeploy\", which knows backend,"
            + " device_type, dtype, hf_overrides, kv_head_shards, kv_scales, layout,"
            + " mla_cache_dtype, numerics, pipeline_parallel, quant_policy, rope_pinned_length,"
            + " tensor_parallel",
        () -> pytorch(config("llama"), Map.of("quant_policy", 0, "kv_cache_dtype", "fp8")));
  }

  @ParameterizedTest
  @CsvSource({"16", "17", "42"})
  void turbomindRefusesWhatItDoesNotStore(int policy) {
    assertRefused(
        "settings.quant_policy: %d is not supported by TurboMind; give 0, 4 or 8, or the backend \"pytorch\""
            .formatted(policy),
        () ->
            named(
                "turbomind", config("llama"), Map.of("quant_policy", policy, "kv_scales", "one")));
  }

  @Test
  void fp8NeedsItsScales() {
    assertRefused(
        "settings.kv_scales: missing, but fp8 K and V mean nothing without their scales; give"
            + " \"one\" if all are 1.0, or {\"k\":\"sha256:…\",\"v\":\"sha256:…\"} over the"
            + " checkpoint's values (layer by layer, f32 little endian)",
        () -> pytorch(config("llama"), Map.of("quant_policy", 16)));
  }

  @Test
  void latentCacheIsPlainOrFp8() {
    Map<String, Object> file = config("deepseek_v3");
    KvFormat plain = pytorch(file, Map.of("quant_policy", 0));
    assertEquals(2 * 16L * 576 * 3, plain.payloadBytes(0));
    assertNull(plain.groups().getFirst().quant());
    assertEquals(
        manifest(plain),
        manifest(pytorch(file, Map.of("quant_policy", 0, "mla_cache_dtype", "bfloat16"))));
    Map<String, Object> fp8 = Map.of("quant_policy", 16, "kv_scales", "one");
    assertEquals(16L * 576 * 3, pytorch(file, fp8).payloadBytes(0));
    assertEquals(
        manifest(pytorch(file, fp8)), manifest(pytorch(file, and(fp8, "mla_cache_dtype", "fp8"))));
    assertRefused(
        "settings.mla_cache_dtype: \"fp8\" contradicts quant_policy 0 and dtype bf16",
        () -> pytorch(file, Map.of("quant_policy", 0, "mla_cache_dtype", "fp8")));
    assertRefused(
        "settings.mla_cache_dtype: \"fp8_ds_mla\" contradicts quant_policy 16 and dtype bf16",
        () -> pytorch(file, Map.of("quant_policy", 16, "mla_cache_dtype", "fp8_ds_mla")));
    assertRefused(
        "settings.mla_cache_dtype: \"fp8\", but the class llama has no latent attention; leave it"
            + " out",
        () -> pytorch(config("llama"), Map.of("quant_policy", 0, "mla_cache_dtype", "fp8")));
    assertRefused(
        "settings.quant_policy: 8 is not stored for the latent attention of the class deepseek_v3;"
            + " give 0, 16 or 17",
        () -> pytorch(file, Map.of("quant_policy", 8)));
  }

  @Test
  void deviceTypeIsIdentity() {
    Map<String, Object> none = Map.of("quant_policy", 0);
    KvFormat cuda = pytorch(config("llama"), none);
    assertEquals("cuda", cuda.extensions().get("lmdeploy.device_type"));
    assertEquals(
        manifest(cuda), manifest(pytorch(config("llama"), and(none, "device_type", "cuda"))));
    assertNotEquals(
        manifest(cuda), manifest(pytorch(config("llama"), and(none, "device_type", "ascend"))));
  }

  private KvFormat pytorch(Map<String, Object> config, Map<String, Object> settings) {
    return lmdeploy(config, and(settings, "backend", "pytorch"));
  }

  private KvFormat lmdeploy(Map<String, Object> config, Map<String, Object> settings) {
    return named("lmdeploy", config, settings);
  }

  private KvFormat named(String engine, Map<String, Object> config, Map<String, Object> settings) {
    return Models.resolve("lmdeploy", engine, directory, CanonicalJson.text(config), settings);
  }

  private static Map<String, Object> and(Map<String, Object> settings, String name, Object value) {
    Map<String, Object> out = new LinkedHashMap<>(settings);
    out.put(name, value);
    return out;
  }
}
