package io.kvasir.core.format;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

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
  private static final Set<String> UNDERSTOOD =
      Set.of(
          "llama",
          "mistral",
          "mixtral",
          "qwen2",
          "qwen3",
          "qwen3_moe",
          "gemma2",
          "gemma3",
          "gemma3_text",
          "deepseek_v2",
          "deepseek_v3");
  private static final Map<String, Object> BF16 =
      Map.of("layout", "layer-kv-token-head/1", "dtype", "bfloat16", "kv_cache_dtype", "bfloat16");

  @TempDir Path directory;

  @TestFactory
  Stream<DynamicTest> fileOfAnUnderstoodClassHasTheExpectedGroupsAndEveryOtherIsRefusedByName()
      throws IOException {
    Path configs = configs();
    Map<String, Object> expected = StrictJson.object(configs.resolve("expected.json"));
    assertEquals(63, expected.size());
    return expected.entrySet().stream()
        .map(
            e ->
                DynamicTest.dynamicTest(
                    e.getKey(), () -> check(configs, e.getKey(), e.getValue())));
  }

  private void check(Path configs, String file, Object expected) throws IOException {
    String type = (String) StrictJson.modelFile(configs.resolve(file)).get("model_type");
    Path model = model(configs, file);
    if (!UNDERSTOOD.contains(type)) {
      FormatException e = assertThrows(FormatException.class, () -> resolve(model, BF16));
      assertTrue(
          e.getMessage().startsWith("config.json: model_type: \"" + type + "\" is ")
              && e.getMessage().endsWith("declare the whole format with the resolver \"explicit\""),
          e.getMessage());
      return;
    }
    KvFormat format = resolve(model, BF16);
    List<Map<String, Object>> groups = new ArrayList<>();
    long growing = 0;
    long all = 0;
    for (KvGroup g : format.groups()) {
      long elements = (long) g.kvHeads() * (g.kDim() + g.vDim());
      Map<String, Object> group = new TreeMap<>();
      group.put("kind", g.kind().wireName());
      group.put("layers", (long) g.layers().size());
      group.put("kvHeads", (long) g.kvHeads());
      group.put("kDim", (long) g.kDim());
      group.put("vDim", (long) g.vDim());
      group.put("elementsPerTokenPerLayer", elements);
      Optional.ofNullable(g.window()).ifPresent(w -> group.put("window", (long) w));
      groups.add(group);
      all += 2 * elements * g.layers().size();
      growing += g.kind() == GroupKind.SLIDING ? 0 : 2 * elements * g.layers().size();
      assertEquals(
          2 * elements * g.layers().size() * Models.BLOCK, format.payloadBytes(g.id()), file);
    }
    Map<String, Object> whole = Tables.object(expected);
    List<Map<String, Object>> right =
        ((List<?>) whole.get("groups"))
            .stream()
                .map(Tables::object)
                .map(TreeMap::new)
                .peek(g -> g.keySet().removeAll(Set.of("latent", "ropeDim", "note")))
                .map(g -> (Map<String, Object>) g)
                .toList();
    assertEquals(right, groups);
    assertEquals(Tables.object(whole.get("totals")).get("growing"), growing);
    assertEquals(Tables.object(whole.get("totals")).get("allLayers"), all);
  }

  @Test
  void fileThatLeavesOutDefaultsIsTheOneThatTransformersResolved() throws IOException {
    Path configs = configs();
    KvFormat published = resolve(model(configs, "google--gemma-3-4b-it.json"), BF16);
    KvFormat resolved = resolve(model(configs, "google--gemma-3-4b-it.resolved-4.50.json"), BF16);
    assertEquals(
        CanonicalJson.text(published.config().tree().orElseThrow()),
        CanonicalJson.text(resolved.config().tree().orElseThrow()));
    assertEquals(Models.manifest(published), Models.manifest(resolved));
  }

  @Test
  void engineThatSaysNothingGetsTheCheckpointsTypes() throws IOException {
    Path configs = configs();
    for (Map.Entry<String, Object> e :
        StrictJson.object(configs.resolve("expected.json")).entrySet()) {
      String type = (String) StrictJson.modelFile(configs.resolve(e.getKey())).get("model_type");
      if (UNDERSTOOD.contains(type)) {
        boolean fp8 = e.getKey().startsWith("nvidia--");
        KvFormat format =
            resolve(
                model(configs, e.getKey()),
                Map.of("layout", "layer-kv-token-head/1", "kv_scales", "one"));
        for (KvGroup g : format.groups()) {
          assertEquals(fp8 ? "fp8_e4m3" : "bf16", g.kDtype().wireName(), e.getKey());
          assertEquals(fp8, g.quant() != null, e.getKey());
        }
      }
    }
  }

  /** Whatever a field means: another value is another model, unless the name is on the list. */
  @TestFactory
  Stream<DynamicTest> changedFieldIsAnotherModelUnlessItsNameIsCosmetic() throws IOException {
    Path configs = configs();
    List<DynamicTest> tests = new ArrayList<>();
    for (String file : StrictJson.object(configs.resolve("expected.json")).keySet()) {
      Map<String, Object> config = StrictJson.modelFile(configs.resolve(file));
      if (UNDERSTOOD.contains(config.get("model_type"))) {
        tests.add(DynamicTest.dynamicTest(file, () -> mutate(config)));
      }
    }
    return tests.stream();
  }

  private void mutate(Map<String, Object> config) {
    String before = Models.manifest(Models.hf(directory, config, BF16));
    int changed = 0;
    for (Mutation m : mutations(config)) {
      String after;
      try {
        after = Models.manifest(Models.hf(directory, m.config(), BF16));
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

  private record Mutation(String name, Map<String, Object> config) {}

  private static List<Mutation> mutations(Map<String, Object> config) {
    List<Mutation> out = new ArrayList<>();
    config.forEach(
        (name, value) -> {
          if (value instanceof Map<?, ?> inner) {
            for (Mutation m : mutations(Tables.object(inner))) {
              out.add(new Mutation(m.name(), replaced(config, name, m.config())));
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

  private static KvFormat resolve(Path model, Map<String, Object> settings) {
    KvFormat format = Models.resolver("hf").resolve(Models.spec("vllm", model, settings));
    format.check();
    return format;
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

  private static Path configs() {
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
