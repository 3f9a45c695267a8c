package io.kvasir.core.format;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kvasir.api.format.GroupKind;
import io.kvasir.api.format.KvFormat;
import io.kvasir.api.format.KvGroup;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What a file of each class means that says as little as the class allows. The numbers are those of
 * the classes of transformers 5.18, written down by hand and not read from the tables.
 */
class ClassDefaultsTest {
  private static final String THETA = "rope_theta";

  @TempDir Path directory;

  /** Heads are given; a head is 64 wide where the class divides the model's width by them. */
  @ParameterizedTest(name = "{0}")
  @CsvSource({
    // type, heads, layers, KV heads, width, window, base of RoPE, layers by kind
    "llama, 32, 32, 32, 64, , 10000, full:32",
    "mistral, 32, 32, 8, 64, 4096, 10000, sliding:32",
    "mixtral, 32, 32, 8, 64, , 1000000, full:32",
    "qwen2, 32, 32, 32, 64, , 10000, full:32",
    "qwen2_moe, 16, 24, 16, 64, , 10000, full:24",
    "qwen3, 32, 32, 32, 128, , 10000, full:32",
    "qwen3_moe, 32, 24, 4, 64, , 10000, full:24",
    "qwen3_next, 16, 48, 2, 256, , 10000, state:36 full:12",
    "qwen3_5_text, 16, 32, 4, 256, , 10000, state:24 full:8",
    "gemma, 16, 28, 16, 256, , 10000, full:28",
    "gemma2, 8, 26, 4, 256, 4096, 10000, sliding:13 full:13",
    "gemma3_text, 8, 26, 4, 256, 4096, 1000000/10000, sliding:22 full:4",
    "gpt_oss, 64, 36, 8, 64, 128, 150000, sliding:18 full:18",
    "glm4, 32, 40, 2, 128, , 10000, full:40",
    "glm4_moe, 96, 46, 8, 64, , 10000, full:46",
    "phi3, 32, 32, 32, 64, , 10000, full:32",
    "cohere, 64, 40, 64, 64, , 500000, full:40",
    "cohere2, 64, 40, 64, 64, 4096, 10000, sliding:30 full:10",
    "starcoder2, 24, 30, 2, 64, , 10000, full:30",
    "falcon, 71, 32, 1, 64, , 10000, full:32",
    "bloom, 8, 2, 8, 64, , , full:2",
    "mpt, 16, 24, 16, 64, , , full:24",
    "gpt2, 12, 12, 12, 64, , , full:12",
    "gpt_neox, 64, 44, 64, 64, , 10000, full:44",
    "gptj, 16, 28, 16, 64, , , full:28",
    "gpt_bigcode, 12, 12, 1, 64, , , full:12",
    "jamba, 32, 32, 8, 64, , , state:28 full:4",
    "bamba, 32, 32, 8, 64, , 10000, state:32",
    "granitemoehybrid, 32, 32, 32, 64, , 10000, state:32",
    "llama4_text, 40, 48, 8, 128, 8192, 500000, chunked:36 full:12",
    "olmo2, 32, 32, 32, 64, , 10000, full:32",
    "minimax, 32, 32, 8, 64, , 1000000, full:16 state:16",
    "minimax_m2, 48, 62, 8, 128, , 5000000, full:62",
    "laguna, 48, 40, 8, 128, , 500000/10000, full:40",
    "lfm2, 32, 32, 8, 64, , 1000000, full:32",
    "smollm3, 16, 36, 4, 64, , 2000000, full:36",
    "seed_oss, 80, 64, 8, 128, , 10000, full:64",
    "ernie4_5, 16, 18, 2, 128, , 500000, full:18",
    "ernie4_5_moe, 20, 28, 4, 64, , 500000, full:28",
    "arcee, 32, 32, 32, 64, , 10000, full:32",
    "olmoe, 16, 16, 16, 64, , 10000, full:16",
    "apertus, 32, 32, 32, 64, , 12000000, full:32",
    "hunyuan_v1_dense, 32, 32, 32, 64, , 10000, full:32",
    "hunyuan_v1_moe, 32, 32, 32, 64, , 10000, full:32",
    "exaone4, 32, 32, 32, 64, , 10000, full:32",
    "dots1, 32, 62, 32, 64, , 10000, full:62",
    "falcon_h1, 32, 32, 8, 64, , 10000, full:32 state:32"
  })
  void fileThatSaysNothingHasTheDefaultsOfItsClass(
      String type,
      int heads,
      int layers,
      int kvHeads,
      int width,
      Integer window,
      String theta,
      String kinds) {
    KvFormat format = format(type, heads, layers);
    Map<String, Integer> found = new TreeMap<>();
    for (KvGroup g : format.groups()) {
      found.merge(g.kind().wireName(), g.layers().size(), Integer::sum);
      if (g.kind() != GroupKind.STATE) {
        assertEquals(kvHeads, g.kvHeads());
        assertEquals(width, g.kDim());
        assertEquals(width, g.vDim());
      }
      if (g.window() != null) {
        assertEquals(window, g.window());
      }
    }
    assertEquals(kinds(kinds), found);
    assertEquals(theta, theta(format));
  }

  private KvFormat format(String type, int heads, int layers) {
    Map<String, Object> file = new LinkedHashMap<>();
    file.put("model_type", type);
    file.put("dtype", "bfloat16");
    file.put("num_attention_heads", (long) heads);
    file.put("num_hidden_layers", (long) layers);
    file.put("hidden_size", 64L * heads);
    if (type.equals("bamba") || type.equals("granitemoehybrid")) {
      file.put("mamba_n_heads", 64L);
    }
    if (type.equals("starcoder2") || type.equals("phi3")) {
      file.put("sliding_window", null);
    }
    return Models.plain(directory, file);
  }

  private static Map<String, Integer> kinds(String text) {
    Map<String, Integer> out = new TreeMap<>();
    for (String kind : text.split(" ", -1)) {
      String[] parts = kind.split(":", -1);
      out.put(parts[0], Integer.valueOf(parts[1]));
    }
    return out;
  }

  private static String theta(KvFormat format) {
    Object rope = format.config().tree().orElseThrow().get("rope_parameters");
    if (rope == null) {
      return null;
    }
    Map<String, Object> parameters = Tables.object(rope);
    return parameters.containsKey(THETA)
        ? parameters.get(THETA).toString()
        : Tables.object(parameters.get("full_attention")).get(THETA)
            + "/"
            + Tables.object(parameters.get("sliding_attention")).get(THETA);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    // type, layers, what each group is
    "deepseek_v2, 32, mla 1x576+0:32",
    "deepseek_v3, 61, mla 1x576+0:61",
    "deepseek_v32, 61, mla 1x576+0:61 index 1x128+0:61",
    "glm_moe_dsa, 78, mla 1x576+0:78 index 1x128+0:78",
    "kimi_linear, 27, state:21 mla 1x576+0:6",
    "mimo_v2_flash, 48, full 4x192+128:9 sliding 8x192+128:39",
    "gemma4_text, 30, sliding 4x256+256:25 full 4x512+512:5",
    "olmo3, 32, sliding 32x64+64:24 full 32x64+64:8",
    "glm4_moe_lite, 47, mla 1x576+0:47",
    "gemma3n_text, 35, sliding 2x256+256:16 full 2x256+256:4"
  })
  void classWithSizesOfItsOwnHasThem(String type, int layers, String groups) {
    Map<String, Object> file = new LinkedHashMap<>(Models.config("llama"));
    file.keySet().removeAll(List.of("architectures", "rope_scaling", "rope_theta"));
    file.put("model_type", type);
    file.put("num_hidden_layers", (long) layers);
    file.put("num_attention_heads", 32L);
    file.put("hidden_size", 2048L);
    file.put("max_position_embeddings", 131072L);
    file.remove("num_key_value_heads");
    for (String name : ModelClass.named(type).names("required")) {
      file.putIfAbsent(name, name.equals("kv_lora_rank") ? 512L : 64L);
    }
    if (List.of("deepseek_v3", "deepseek_v32", "glm_moe_dsa", "glm4_moe_lite").contains(type)) {
      file.put("num_key_value_heads", 32L);
    }
    Map<String, Integer> found = new TreeMap<>();
    for (KvGroup g : Models.plain(directory, file).groups()) {
      found.merge(
          g.kind() == GroupKind.STATE
              ? "state"
              : "%s %dx%d+%d".formatted(g.kind().wireName(), g.kvHeads(), g.kDim(), g.vDim()),
          g.layers().size(),
          Integer::sum);
    }
    Map<String, Integer> right = new TreeMap<>();
    for (String group : groups.split(" (?=[a-z])", -1)) {
      right.put(group.split(":", -1)[0], Integer.valueOf(group.split(":", -1)[1]));
    }
    assertEquals(right, found);
  }
}
