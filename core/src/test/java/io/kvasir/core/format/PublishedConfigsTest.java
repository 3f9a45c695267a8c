package io.kvasir.core.format;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kvasir.api.EngineSpec;
import io.kvasir.api.format.FormatException;
import io.kvasir.api.format.GroupKind;
import io.kvasir.api.format.KvFormat;
import io.kvasir.api.format.KvGroup;
import io.kvasir.api.identity.CanonicalJson;
import io.kvasir.core.identity.StrictJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * Configurations as published, with groups and totals computed by hand. They are third parties'
 * data and lie beside the repository, in {@code shared/data/configs}.
 */
class PublishedConfigsTest {
  /** As the model computes it, with nothing quantised and no state in another type. */
  private static final Map<String, Object> BF16 =
      Map.of(
          "layout", "layer-kv-token-head/1",
          "dtype", "bfloat16",
          "kv_cache_dtype", "bfloat16",
          "mamba_cache_dtype", "bfloat16",
          "mamba_ssm_cache_dtype", "bfloat16",
          "rope_pinned_length", "max_position_embeddings");

  private static final Map<String, Object> SILENT =
      Map.of(
          "layout", "layer-kv-token-head/1",
          "kv_scales", "one",
          "rope_pinned_length", "max_position_embeddings");

  @TempDir Path directory;

  @TestFactory
  Stream<DynamicTest> fileHasTheExpectedGroupsAndTotals() throws IOException {
    Path configs = configs();
    Map<String, Object> expected = StrictJson.object(configs.resolve("expected.json"));
    assertEquals(63, expected.size());
    return expected.entrySet().stream()
        .map(
            e ->
                DynamicTest.dynamicTest(
                    e.getKey(), () -> check(configs, e.getKey(), Tables.object(e.getValue()))));
  }

  private void check(Path configs, String file, Map<String, Object> expected) throws IOException {
    KvFormat format = resolve("none", model(configs, file), BF16);
    List<Object> right = new ArrayList<>();
    for (Object each : (List<?>) expected.get("groups")) {
      Map<String, Object> group = new TreeMap<>(Tables.object(each));
      String kind = (String) group.get("kind");
      if (!kind.equals("none") && !kind.endsWith("_state")) {
        group.put("kind", KINDS.getOrDefault(kind, kind));
        group.keySet().removeAll(Set.of("latent", "ropeDim", "note", "optional"));
        right.add(group);
      }
    }
    List<Object> groups = new ArrayList<>();
    Map<String, Number> totals = new TreeMap<>();
    for (String name : List.of("growing", "bounded", "indexK", "stateElemsPerSeq")) {
      totals.put(name, 0L);
    }
    double compressed = 0;
    int states = 0;
    for (KvGroup g : format.groups()) {
      if (g.kind() == GroupKind.STATE) {
        totals.merge("stateElemsPerSeq", g.stateBytes() / 2, PublishedConfigsTest::sum);
        states += g.layers().size();
        continue;
      }
      long elements = (long) g.kvHeads() * (g.kDim() + g.vDim());
      long bytes = 2 * elements * g.layers().size();
      long entries = (long) g.blockTokens() / Objects.requireNonNullElse(g.ratio(), 1);
      assertEquals(bytes * entries, format.payloadBytes(g.id()));
      Map<String, Object> group = new TreeMap<>();
      group.put("kind", g.kind().wireName());
      group.put("layers", (long) g.layers().size());
      group.put("kvHeads", (long) g.kvHeads());
      group.put("kDim", (long) g.kDim());
      group.put("vDim", (long) g.vDim());
      group.put("elementsPerTokenPerLayer", elements);
      Optional.ofNullable(g.window()).ifPresent(w -> group.put("window", (long) w));
      Optional.ofNullable(g.ratio()).ifPresent(r -> group.put("ratio", (long) r));
      groups.add(group);
      String total =
          switch (g.kind()) {
            case SLIDING, CHUNKED -> "bounded";
            case INDEX -> "indexK";
            default -> "growing";
          };
      if (g.ratio() == null) {
        totals.merge(total, bytes, PublishedConfigsTest::sum);
      } else {
        compressed += (double) bytes / g.ratio();
      }
    }
    assertEquals(sorted(right), sorted(groups));
    Map<String, Object> whole = Tables.object(expected.get("totals"));
    totals.forEach((name, value) -> assertEquals(whole.get(name), value, name));
    assertEquals(
        ((Number) whole.get("compressedPerToken")).doubleValue(), compressed, "compressed");
    assertEquals(
        whole.get("allLayers"), sum(totals.get("growing"), totals.get("bounded")), "allLayers");
    assertEquals(stateLayers(expected), states, "layers with a state");
  }

  private static final Map<String, String> KINDS =
      Map.of("index_k", "index", "compressed_index_k", "index", "swa_shared_kv", "sliding");

  private static Number sum(Number a, Number b) {
    return a.longValue() + b.longValue();
  }

  private static List<String> sorted(List<?> groups) {
    return groups.stream().map(CanonicalJson::text).sorted().toList();
  }

  private static int stateLayers(Map<String, Object> expected) {
    return ((List<?>) expected.get("groups"))
        .stream()
            .map(Tables::object)
            .filter(g -> ((String) g.get("kind")).endsWith("_state"))
            .mapToInt(g -> ((Long) g.get("layers")).intValue())
            .sum();
  }

  @Test
  void fileThatLeavesOutDefaultsIsTheOneThatTransformersResolved() throws IOException {
    Path configs = configs();
    KvFormat published = resolve("vllm", model(configs, "google--gemma-3-4b-it.json"), BF16);
    KvFormat resolved =
        resolve("vllm", model(configs, "google--gemma-3-4b-it.resolved-4.50.json"), BF16);
    assertEquals(
        CanonicalJson.text(published.config().tree().orElseThrow()),
        CanonicalJson.text(resolved.config().tree().orElseThrow()));
    assertEquals(Models.manifest(published), Models.manifest(resolved));
  }

  @TestFactory
  Stream<DynamicTest> engineThatSaysNothingGetsTheCheckpointsTypesOrIsAskedForThem()
      throws IOException {
    Path configs = configs();
    return StrictJson.object(configs.resolve("expected.json")).keySet().stream()
        .map(file -> DynamicTest.dynamicTest(file, () -> silent(configs, file)));
  }

  private void silent(Path configs, String file) throws IOException {
    Map<String, Object> config = StrictJson.modelFile(configs.resolve(file));
    Path model = model(configs, file);
    String named = dtype(config);
    if (named == null || named.equals("float32")) {
      FormatException e = assertThrows(FormatException.class, () -> resolve("none", model, SILENT));
      assertTrue(e.getMessage().startsWith("config.json: dtype: "), e.getMessage());
      return;
    }
    boolean fp8 = FP8.stream().anyMatch(file::startsWith);
    String dtype = named.equals("float16") ? "f16" : "bf16";
    for (KvGroup g : resolve("none", model, SILENT).groups()) {
      boolean plain = g.kind() == GroupKind.STATE || g.kind() == GroupKind.INDEX;
      assertEquals(fp8 && !plain ? "fp8_e4m3" : dtype, g.kDtype().wireName());
      assertEquals(fp8 && !plain, g.quant() != null);
    }
  }

  /** Checkpoints of which some file asks for fp8 K and V. */
  private static final List<String> FP8 =
      List.of(
          "nvidia--Gemma-4-31B-IT-NVFP4",
          "nvidia--Kimi-K2.5-NVFP4",
          "nvidia--Llama-3.1-70B-Instruct-FP8",
          "nvidia--NVIDIA-Nemotron-3-Nano-30B-A3B-NVFP4",
          "nvidia--Qwen3-235B-A22B-NVFP4",
          "nvidia--Qwen3.5-397B-A17B-NVFP4",
          "poolside--Laguna-XS.2-FP8");

  private static String dtype(Map<String, Object> config) {
    Map<String, Object> text = Tables.object(config.getOrDefault("text_config", config));
    return Stream.of(config, text)
        .flatMap(c -> Stream.of(c.get("dtype"), c.get("torch_dtype")))
        .filter(Objects::nonNull)
        .map(String.class::cast)
        .findFirst()
        .orElse(null);
  }

  private static final List<String> PATTERNS =
      List.of(
          "layer_types",
          "attn_type_list",
          "hybrid_layer_pattern",
          "hybrid_override_pattern",
          "no_rope_layers",
          "indexer_types",
          "block_configs");

  /** Files get cut on their way: what a class has no default for is asked for by name. */
  @TestFactory
  Stream<DynamicTest> trimmedFileIsRefusedWithTheReason() throws IOException {
    Path configs = configs();
    List<DynamicTest> tests = new ArrayList<>();
    for (String file : StrictJson.object(configs.resolve("expected.json")).keySet()) {
      Map<String, Object> config = StrictJson.modelFile(configs.resolve(file));
      tests.add(DynamicTest.dynamicTest(file, () -> trim(config)));
    }
    return tests.stream();
  }

  private void trim(Map<String, Object> config) throws IOException {
    boolean nested = config.containsKey("text_config");
    Map<String, Object> text = Tables.object(config.getOrDefault("text_config", config));
    trimmed(config, false, "model_type", null, "model_type: missing");
    for (String name :
        List.of("num_hidden_layers", "n_layer", "n_layers", "hidden_size", "d_model")) {
      boolean counted =
          name.equals("num_hidden_layers") && text.containsKey("hybrid_override_pattern");
      if (!nested && !counted && text.containsKey(name)) {
        trimmed(config, false, name, null, "missing; no whole file of the class");
      }
    }
    for (String name : PATTERNS) {
      Object pattern = text.get(name);
      if (pattern instanceof List<?> l && !l.isEmpty()) {
        trimmed(config, nested, name, l.subList(0, l.size() - 1), name + ": has ");
        Object more = ((Long) text.get("num_hidden_layers")) + 1;
        trimmed(config, nested, "num_hidden_layers", more, "entries, but num_hidden_layers is");
      } else if (pattern instanceof String s) {
        trimmed(config, nested, name, s.substring(1), name + ": has ");
      }
    }
    for (String name : List.of("rope_scaling", "rope_parameters")) {
      if (text.get(name) instanceof Map<?, ?> rope) {
        trimRope(config, nested, name, Tables.object(rope));
      }
    }
    if ("minimax_m1".equals(config.get("model_type"))) {
      trimmed(config, false, "rope_theta", null, "rope_theta: missing");
    }
  }

  private void trimRope(
      Map<String, Object> config, boolean nested, String name, Map<String, Object> rope)
      throws IOException {
    for (String part : rope.keySet()) {
      boolean kind = rope.get(part) instanceof Map<?, ?>;
      boolean needed =
          List.of("factor", "original_max_position_embeddings", "low_freq_factor", "long_factor")
              .contains(part);
      boolean phi = "phi3".equals(config.get("model_type")); // has the length beside it
      if (kind || (needed && rope.containsKey("factor") && !phi)) {
        Map<String, Object> less = new LinkedHashMap<>(rope);
        less.remove(part);
        trimmed(config, nested, name, less, part + ": missing");
      }
    }
  }

  private void trimmed(
      Map<String, Object> config, boolean nested, String name, Object value, String reason)
      throws IOException {
    Map<String, Object> whole = new LinkedHashMap<>(config);
    Map<String, Object> text =
        nested ? new LinkedHashMap<>(Tables.object(config.get("text_config"))) : whole;
    text.put(name, value);
    if (value == null) {
      text.remove(name);
    }
    if (nested) {
      whole.put("text_config", text);
    }
    FormatException e = assertThrows(FormatException.class, () -> changed(whole), name);
    assertTrue(e.getMessage().contains(reason), e.getMessage() + " is not: " + reason);
  }

  /** Whatever a field means: another value is another model, unless the name is on the list. */
  @TestFactory
  Stream<DynamicTest> changedFieldIsAnotherModelUnlessItsNameIsCosmetic() throws IOException {
    Path configs = configs();
    List<DynamicTest> tests = new ArrayList<>();
    for (String file : StrictJson.object(configs.resolve("expected.json")).keySet()) {
      Map<String, Object> config = StrictJson.modelFile(configs.resolve(file));
      tests.add(DynamicTest.dynamicTest(file, () -> mutate(config)));
    }
    return tests.stream();
  }

  private void mutate(Map<String, Object> config) throws IOException {
    String before = Models.manifest(changed(config));
    int changed = 0;
    for (Mutation m : mutations(config)) {
      String after;
      try {
        after = Models.manifest(changed(m.config()));
      } catch (FormatException e) {
        continue; // refused: shares with nobody
      }
      changed++;
      if (Tables.COSMETIC.contains(m.name())) {
        assertEquals(before, after, m.name());
      } else {
        assertNotEquals(before, after, m.name());
      }
    }
    assertTrue(changed > 10, "of the mutations were accepted: " + changed);
  }

  private KvFormat changed(Map<String, Object> config) throws IOException {
    Path model =
        "deepseek_v4".equals(config.get("model_type")) ? directory.resolve("V4") : directory;
    Files.createDirectories(model);
    Files.writeString(model.resolve("config.json"), CanonicalJson.text(config));
    return resolve("none", model, BF16);
  }

  private record Mutation(String name, Map<String, Object> config) {}

  private static List<Mutation> mutations(Map<String, Object> config) {
    List<Mutation> out = new ArrayList<>();
    config.forEach(
        (name, value) -> {
          if (value instanceof Map<?, ?> inner) {
            for (Mutation m : mutations(Tables.object(inner))) {
              String own = Tables.COSMETIC.contains(name) ? name : m.name();
              out.add(new Mutation(own, replaced(config, name, m.config())));
            }
          } else {
            out.add(new Mutation(name, replaced(config, name, other(value))));
          }
        });
    return out;
  }

  private static Map<String, Object> replaced(Map<String, Object> json, String name, Object value) {
    Map<String, Object> out = new LinkedHashMap<>(json);
    out.put(name, value);
    return out;
  }

  private static Object other(Object value) {
    return switch (value) {
      case Boolean b -> !b;
      case Long n -> n * 2 + 2;
      case Number n -> n.doubleValue() * 2 + 1;
      case String s -> s + "x";
      case List<?> l -> {
        List<Object> longer = new ArrayList<>(l);
        longer.add(7L);
        yield longer;
      }
      case null, default -> 7L;
    };
  }

  private static KvFormat resolve(String engine, Path model, Map<String, Object> settings) {
    int tokens = model.toString().contains("V4") ? 128 : Models.BLOCK; // a multiple of its ratios
    EngineSpec.Builder spec = EngineSpec.builder().engine(engine).model(model).blockTokens(tokens);
    settings.forEach(spec::setting);
    return Models.resolver("hf").resolve(spec.build());
  }

  private Path model(Path configs, String file) throws IOException {
    Path model = Files.createDirectories(directory.resolve(file));
    Files.copy(configs.resolve(file), model.resolve("config.json"));
    Path quantization = configs.resolve(file.replace(".json", ".hf_quant_config.json"));
    if (Files.exists(quantization)) {
      Files.copy(quantization, model.resolve("hf_quant_config.json"));
    }
    return model;
  }

  static Path configs() {
    for (String place : List.of("../../shared", "../../../shared")) { // of a clone, of a worktree
      Path configs = Path.of(place, "data", "configs");
      if (Files.isDirectory(configs)) {
        return configs;
      }
    }
    assumeTrue(
        false,
        "no ../shared/data/configs beside the repository: put the published configurations there");
    throw new AssertionError();
  }
}
