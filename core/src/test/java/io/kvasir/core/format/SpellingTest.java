package io.kvasir.core.format;

import static io.kvasir.core.format.Models.config;
import static io.kvasir.core.format.Models.hf;
import static io.kvasir.core.format.Models.inText;
import static io.kvasir.core.format.Models.json;
import static io.kvasir.core.format.Models.manifest;
import static io.kvasir.core.format.Models.with;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.api.format.FormatException;
import io.kvasir.api.identity.CanonicalJson;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Two spellings of one meaning are one manifest; two meanings never are. */
class SpellingTest {
  @TempDir Path directory;

  static List<String> classes() {
    return Tables.types().stream().filter(t -> !t.startsWith("siglip")).sorted().toList();
  }

  @Test
  void classesAreAsManyAsTheTablesHave() {
    assertTrue(classes().size() >= 60, classes().size() + " classes");
  }

  @ParameterizedTest
  @MethodSource("classes")
  void defaultWrittenOutIsTheDefaultLeftOut(String type) {
    Map<String, Object> file = config(type);
    String before = id(file);
    for (Map.Entry<String, Object> e : ModelClass.named(type).table("defaults").entrySet()) {
      if (!file.containsKey(e.getKey())) {
        assertEquals(before, id(put(file, e.getKey(), e.getValue())), e.getKey());
      }
    }
  }

  /** What a class derives, such as the pattern of its layers, may stand in the file as well. */
  @ParameterizedTest
  @MethodSource("classes")
  void resolvedFileResolvesToItself(String type) {
    Map<String, Object> file = config(type);
    Map<String, Object> resolved = Models.plain(directory, file).config().tree().orElseThrow();
    assertEquals(id(file), id(resolved));
    if (ModelClass.named(type).flag("parts")) {
      return;
    }
    for (String name :
        List.of("layer_types", "num_key_value_heads", "head_dim", "rope_parameters")) {
      if (resolved.containsKey(name)) {
        assertEquals(id(file), id(put(file, name, resolved.get(name))), name);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("classes")
  void otherNameOfAFieldIsTheField(String type) {
    Map<String, Object> file = config(type);
    ModelClass model = ModelClass.named(type);
    int renamed = 0;
    for (Map.Entry<String, Object> e : model.table("names").entrySet()) {
      String name = (String) e.getValue();
      if (e.getKey().contains(".") || name.contains(".")) {
        continue; // linear_attn_config and compress_rates have tests of their own
      }
      Object byDefault = file.getOrDefault(name, model.table("defaults").get(name));
      Object value = byDefault == null ? (Object) 2L : byDefault;
      Object other = value instanceof Number n ? (Object) (n.doubleValue() * 2 + 1) : value;
      Map<String, Object> without = with(file, name, null);
      Map<String, Object> now = put(without, name, value);
      assertEquals(id(now), id(put(without, e.getKey(), value)), e.getKey());
      assertRefusedOrOther(id(now), put(now, e.getKey(), other), value, other);
      renamed++;
    }
    assertTrue(model.table("names").isEmpty() || renamed > 0);
  }

  private void assertRefusedOrOther(String id, Map<String, Object> file, Object a, Object b) {
    try {
      assertEquals(a.equals(b), id.equals(id(file)));
    } catch (FormatException e) {
      assertTrue(e.getMessage().contains("contradicts"), e.getMessage());
    }
  }

  private static Map<String, Object> put(Map<String, Object> file, String name, Object value) {
    Map<String, Object> out = new LinkedHashMap<>(file);
    out.put(name, value);
    return out;
  }

  @ParameterizedTest
  @CsvSource({
    "llama, num_key_value_heads, 2, 4",
    "mistral, num_key_value_heads, 8, 4",
    "qwen3_moe, num_key_value_heads, 4, 8"
  })
  void headsLeftOutAreThoseOfTheClass(String type, String name, String right, String wrong) {
    Map<String, Object> absent = with(config(type), name, null);
    String heads = type.equals("llama") ? "8" : right;
    assertEquals(id(with(absent, name, heads)), id(absent));
    assertNotEquals(id(with(absent, name, wrong)), id(absent));
  }

  @Test
  void dimensionOfAHeadIsThatOfTheClass() {
    assertEquals(64, hf(directory, config("llama")).groups().getFirst().kDim());
    assertEquals(32, hf(directory, config("qwen3")).groups().getFirst().kDim());
    assertEquals(128, dim(with(config("qwen3"), "head_dim", null)));
    assertEquals(256, dim(config("gemma2"))); // hidden / heads would be 16
    assertEquals(256, dim(config("gemma3_text")));
    assertEquals(16, dim(with(config("qwen3_moe"), "head_dim", null)));
    assertEquals(576, dim(with(config("deepseek_v3"), "head_dim", "192")));
    assertEquals(id(with(config("llama"), "head_dim", "64")), id(config("llama")));
  }

  private int dim(Map<String, Object> config) {
    return hf(directory, config).groups().getFirst().kDim();
  }

  @Test
  void ropeHasOneSpelling() {
    Map<String, Object> old = config("llama");
    String flat =
        """
        {"rope_theta":5e5,"rope_type":"llama3","factor":8,"low_freq_factor":1,"high_freq_factor":4,
         "original_max_position_embeddings":1024.0}\
        """;
    Map<String, Object> fresh = with(with(old, "rope_theta", null), "rope_scaling", null);
    assertEquals(id(old), id(with(fresh, "rope_parameters", flat)));
    assertEquals(id(old), id(with(old, "rope_parameters", flat)));
    assertEquals(id(old), id(with(fresh, "rope_scaling", flat)));
    String type = flat.replace("rope_type", "type");
    assertEquals(id(old), id(with(fresh, "rope_parameters", type)));
    assertEquals(id(old), id(with(old, "partial_rotary_factor", "1.0")));
    assertNotEquals(id(old), id(with(old, "partial_rotary_factor", "0.5")));
    Map<String, Object> plain = with(old, "rope_scaling", null);
    for (String none :
        List.of("null", "{}", "{\"rope_type\":\"default\"}", "{\"type\":\"default\"}")) {
      assertEquals(id(plain), id(with(old, "rope_scaling", none)), none);
    }
  }

  @Test
  void ropeByLayerTypeIsTheOneOfTwoBases() {
    Map<String, Object> old = config("gemma3_text");
    Map<String, Object> fresh = with(old, "rope_scaling", null);
    String keyed =
        """
        {"full_attention":{"rope_theta":1000000.0,"rope_type":"linear","factor":8.0},
         "sliding_attention":{"rope_theta":10000.0,"rope_type":"default"}}\
        """;
    assertEquals(id(old), id(with(fresh, "rope_parameters", keyed)));
    assertEquals(id(old), id(with(old, "rope_parameters", keyed)));
    assertEquals(
        id(old), id(with(with(old, "rope_theta", "1e6"), "rope_local_base_freq", "10000")));
    String sliding = keyed.replace("10000.0,", "20000.0,");
    assertNotEquals(id(old), id(with(fresh, "rope_parameters", sliding)));
    assertEquals(
        id(with(fresh, "rope_parameters", sliding)),
        id(with(old, "rope_local_base_freq", "20000")));
    assertNotEquals(id(old), id(fresh)); // the factor is gone
  }

  @Test
  void defaultOfYarnWrittenOutIsTheDefaultLeftOut() {
    Map<String, Object> file = config("deepseek_v3");
    String lean =
        """
        {"rope_type":"yarn","factor":40.0,"original_max_position_embeddings":4096,"mscale":1,"mscale_all_dim":1,
         "attention_factor":null}\
        """;
    assertEquals(id(file), id(with(file, "rope_scaling", lean)));
    assertNotEquals(id(file), id(with(file, "rope_scaling", lean.replace("\"mscale\":1,", ""))));
    assertNotEquals(id(file), id(with(file, "rope_scaling", lean.replace("null", "1.5"))));
  }

  @ParameterizedTest
  @CsvSource({
    "factor, 8.0, 16.0",
    "low_freq_factor, 1.0, 2.0",
    "high_freq_factor, 4.0, 5.0",
    "original_max_position_embeddings, 1024, 2048"
  })
  void eachNumberOfRopeSeparates(String name, String before, String after) {
    Map<String, Object> file = config("llama");
    String scaling = CanonicalJson.text(file.get("rope_scaling"));
    String changed = scaling.replaceAll("\"" + name + "\":[0-9.]+", "\"" + name + "\":" + after);
    assertNotEquals(scaling, changed);
    assertNotEquals(id(file), id(with(file, "rope_scaling", changed)), before);
  }

  @Test
  void baseOfRopeKeepsItsBinary64Value() {
    Map<String, Object> file = config("llama");
    assertNotEquals(
        id(with(file, "rope_theta", "999999.4420358813")),
        id(with(file, "rope_theta", "999999.4420358814")));
    assertNotEquals(
        id(with(file, "rope_theta", "999999.4420358813")), id(with(file, "rope_theta", "1e6")));
    assertEquals(id(with(file, "rope_theta", "1000000")), id(with(file, "rope_theta", "1.0E+6")));
  }

  @Test
  void patternOfLayersHasOneSpelling() {
    Map<String, Object> file = config("gemma3_text");
    List<String> types = new ArrayList<>();
    for (int i = 1; i <= 8; i++) {
      types.add(i % 6 == 0 ? "full_attention" : "sliding_attention");
    }
    String list = CanonicalJson.text(types);
    assertEquals(id(file), id(with(file, "sliding_window_pattern", "6")));
    assertEquals(id(file), id(with(file, "_sliding_window_pattern", "6")));
    assertEquals(id(file), id(with(file, "layer_types", list)));
    assertEquals(
        id(file), id(with(with(file, "layer_types", list), "sliding_window_pattern", "6")));
    assertNotEquals(id(file), id(with(file, "sliding_window_pattern", "4")));
    assertEquals(List.of(5), hf(directory, file).groups().get(1).layers()); // the last one slides
    Map<String, Object> gemma2 = config("gemma2");
    assertEquals(List.of(0, 2, 4), hf(directory, gemma2).groups().get(0).layers());
    assertEquals(List.of(1, 3), hf(directory, gemma2).groups().get(1).layers());
  }

  @Test
  void typeOfTheCheckpointHasOneSpelling() {
    Map<String, Object> file = config("llama");
    Map<String, Object> none = with(file, "torch_dtype", null);
    assertEquals(id(file), id(with(none, "dtype", "\"bfloat16\"")));
    assertEquals(id(file), id(with(none, "dtype", "\"torch.bfloat16\"")));
    assertEquals(id(file), id(with(file, "dtype", "\"bfloat16\"")));
    assertNotEquals(id(file), id(with(none, "dtype", "\"float16\"")));
    Map<String, Object> nested = config("gemma3");
    assertEquals(id(nested), id(inText(nested, "torch_dtype", "\"bfloat16\"")));
    assertEquals(
        id(nested), id(inText(with(nested, "torch_dtype", null), "dtype", "\"bfloat16\"")));
  }

  @Test
  void nestedModelHasTheClassOfItsText() {
    Map<String, Object> nested = config("gemma3");
    assertEquals(id(nested), id(inText(nested, "model_type", null)));
    assertEquals(id(nested), id(inText(nested, "num_key_value_heads", "4")));
    assertNotEquals(id(nested), id(inText(nested, "num_key_value_heads", "2")));
    assertEquals(id(nested), id(inText(nested, "use_cache", "true")));
    assertNotEquals(id(nested), id(inText(nested, "nobody_knows", "true")));
    assertEquals(hf(directory, nested).groups(), hf(directory, config("gemma3_text")).groups());
  }

  @Test
  void cosmeticNameDoesNotCountAndEveryOtherDoes() {
    Map<String, Object> file = config("llama");
    for (String name : Tables.COSMETIC) {
      assertEquals(id(file), id(with(file, name, "{\"a\":[1]}")), name);
    }
    for (String value : List.of("null", "true", "1", "\"x\"", "[]", "{}")) {
      assertNotEquals(id(file), id(with(file, "nobody_knows", value)), value);
    }
    assertNotEquals(id(with(file, "nobody_knows", "1")), id(with(file, "nobody_knows", "\"1\"")));
  }

  @Test
  void nothingThatAClassKnowsIsCosmetic() {
    List<String> meaningful =
        new ArrayList<>(
            List.of(
                "num_key_value_heads",
                "head_dim",
                "rope_theta",
                "rope_scaling",
                "rope_parameters",
                "rope_local_base_freq",
                "partial_rotary_factor",
                "layer_types",
                "auto_map",
                "sliding_window_pattern",
                "torch_dtype",
                "dtype",
                "model_type",
                "architectures",
                "quantization_config",
                "kv_cache_scheme",
                "text_config",
                "vision_config",
                "mrope_section",
                "qk_norm",
                "use_qk_norm",
                "qkv_bias",
                "k_eq_v",
                "v_norm",
                "attention_chunk_size",
                "no_rope_layers",
                "num_kv_shared_layers"));
    for (String type : Tables.types()) {
      meaningful.addAll(ModelClass.named(type).table("defaults").keySet());
      meaningful.addAll(ModelClass.named(type).names("required"));
    }
    meaningful.retainAll(Tables.COSMETIC);
    assertEquals(List.of(), meaningful);
  }

  @ParameterizedTest
  @MethodSource("classes")
  void valueOtherThanTheDefaultIsAnotherModel(String type) {
    Map<String, Object> file = config(type);
    int changed = 0;
    for (Map.Entry<String, Object> e : ModelClass.named(type).table("defaults").entrySet()) {
      Object now = file.getOrDefault(e.getKey(), e.getValue());
      String other =
          switch (now) {
            case Boolean b -> String.valueOf(!b);
            case Number n -> String.valueOf(n.doubleValue() * 2 + (n.doubleValue() == 0 ? 1 : 0));
            case null, default -> "24";
          };
      String after;
      try {
        after = id(with(file, e.getKey(), other));
      } catch (FormatException _) {
        continue; // refused: shares with nobody
      }
      changed++;
      assertNotEquals(id(file), after, type + " " + e.getKey());
    }
    assertTrue(changed > 0 || ModelClass.named(type).table("defaults").size() < 3, "of none");
  }

  @Test
  void literalThatIsNoNumberStandsAsAText() {
    String text =
        CanonicalJson.text(config("llama")).replaceFirst("\\{", "{\"limit\":[0.0,Infinity],");
    String quoted = text.replace("Infinity", "\"Infinity\"");
    assertEquals(id(text), id(quoted));
    assertNotEquals(id(text), id(text.replace("Infinity", "-Infinity")));
    assertNotEquals(id(text), id(text.replace("Infinity", "NaN")));
  }

  @Test
  void orderAndSpaceDoNotCount() {
    Map<String, Object> file = config("llama");
    String sorted = CanonicalJson.text(new TreeMap<>(file));
    assertEquals(id(file), id(sorted.replace(",", " ,\n  ")));
  }

  @Test
  void overrideOfTheEngineIsAsIfItStoodInTheFile() {
    Map<String, Object> file = config("llama");
    Map<String, Object> override =
        Map.of("hf_overrides", json("{\"rope_scaling\":{\"factor\":16.0},\"rope_theta\":7}"));
    Map<String, Object> changed =
        with(
            with(file, "rope_theta", "7"),
            "rope_scaling",
            CanonicalJson.text(file.get("rope_scaling")).replace("\"factor\":8", "\"factor\":16"));
    assertEquals(manifest(hf(directory, changed)), manifest(hf(directory, file, override)));
  }

  private String id(Map<String, Object> config) {
    return manifest(Models.plain(directory, config));
  }

  private String id(String config) {
    return manifest(Models.resolve("hf", "none", directory, config, Models.LAYOUT));
  }
}
