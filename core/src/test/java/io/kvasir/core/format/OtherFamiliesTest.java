package io.kvasir.core.format;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.api.format.FormatException;
import io.kvasir.api.format.KvGroup;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Models of families that {@code shared/data/configs} does not have, with the sizes that they are
 * known by; the groups are computed by hand from the code of each class.
 */
class OtherFamiliesTest {
  @TempDir Path directory;

  @ParameterizedTest(name = "{0} {2} layers")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        // type | hidden | layers | heads | KV heads | more of the file | groups
        "smollm3 | 2048 | 36 | 16 | 4 | \"use_sliding_window\":false,\"sliding_window\":null | full"
            + " 4x128+128:36",
        "seed_oss | 5120 | 64 | 80 | 8 |"
            + " \"head_dim\":128,\"rope_scaling\":{\"rope_type\":\"default\"} | full 8x128+128:64",
        "ernie4_5 | 1024 | 18 | 16 | 2 | \"head_dim\":128 | full 2x128+128:18",
        "ernie4_5_moe | 2560 | 28 | 20 | 4 | \"moe_num_experts\":64 | full 4x128+128:28",
        "hunyuan_v1_dense | 4096 | 32 | 32 | 8 | \"head_dim\":128 | full 8x128+128:32",
        "hunyuan_v1_moe | 4096 | 32 | 32 | 8 |"
            + " \"use_cla\":false,\"cla_share_factor\":2,\"head_dim\":128 | full 8x128+128:32",
        "exaone4 | 2048 | 30 | 32 | 8 | \"sliding_window\":null,\"head_dim\":64 | full"
            + " 8x64+64:30",
        "exaone4 | 5120 | 64 | 40 | 8 |"
            + " \"sliding_window\":4096,\"sliding_window_pattern\":4,\"head_dim\":128 | sliding"
            + " 8x128+128:48 full 8x128+128:16",
        "dots1 | 4096 | 62 | 32 | 32 | \"head_dim\":128,\"sliding_window\":null | full"
            + " 32x128+128:62",
        "dots1 | 4096 | 62 | 32 | 32 | \"head_dim\":128,\"max_window_layers\":60 | full"
            + " 32x128+128:60 sliding 32x128+128:2",
        "olmoe | 2048 | 16 | 16 | 16 | \"clip_qkv\":null | full 16x128+128:16",
        "arcee | 2560 | 36 | 20 | 4 | \"head_dim\":128 | full 4x128+128:36",
        "apertus | 4096 | 32 | 32 | 8 | \"qk_norm\":true | full 8x128+128:32",
        "glm4_moe_lite | 2048 | 47 | 20 | 20 | \"kv_lora_rank\":512,\"qk_rope_head_dim\":64 | mla"
            + " 1x576+0:47",
        "gemma3n_text | 2048 | 30 | 8 | 2 | \"head_dim\":256,\"num_kv_shared_layers\":10 | sliding"
            + " 2x256+256:16 full 2x256+256:4",
      })
  void modelHasTheGroupsOfItsClass(
      String type, long hidden, long layers, long heads, long kvHeads, String more, String groups) {
    assertEquals(groups, groups(file(type, hidden, layers, heads, kvHeads, more)));
  }

  private static Map<String, Object> file(
      String type, long hidden, long layers, long heads, long kvHeads, String more) {
    Map<String, Object> file = new LinkedHashMap<>();
    file.put("model_type", type);
    file.put("torch_dtype", "bfloat16");
    file.put("hidden_size", hidden);
    file.put("num_hidden_layers", layers);
    file.put("num_attention_heads", heads);
    file.put("num_key_value_heads", kvHeads);
    file.put("max_position_embeddings", 131072L);
    file.putAll(Models.json("{" + more + "}"));
    return file;
  }

  private String groups(Map<String, Object> file) {
    return String.join(
        " ",
        Models.plain(directory, file).groups().stream()
            .map(
                g ->
                    g.stateBytes() != null
                        ? "state %d:%d".formatted(g.stateBytes(), g.layers().size())
                        : "%s %dx%d+%d:%d"
                            .formatted(
                                g.kind().wireName(),
                                g.kvHeads(),
                                g.kDim(),
                                g.vDim(),
                                g.layers().size()))
            .toList());
  }

  /** As Falcon-H1-7B: each layer has attention and, beside it, a state. */
  @Test
  void layerWithAttentionAndAStateKeepsBoth() {
    Map<String, Object> file =
        file(
            "falcon_h1",
            3072,
            44,
            12,
            2,
            "\"head_dim\":128,\"mamba_d_ssm\":3072,\"mamba_n_heads\":24,\"mamba_d_head\":128,"
                + "\"mamba_d_state\":256,\"mamba_n_groups\":1,\"mamba_d_conv\":4,\"rope_theta\":1e11");
    List<KvGroup> groups = Models.plain(directory, file).groups();
    long ofLayer = 2 * ((3072 + 2 * 256) * 3 + 3072 * 256);
    long bytes = 0;
    for (KvGroup g : groups.subList(1, groups.size())) {
      bytes += g.stateBytes();
    }
    assertEquals("full", groups.getFirst().kind().wireName());
    assertEquals(44, groups.getFirst().layers().size());
    assertEquals(44 * ofLayer, bytes);
    file.remove("mamba_d_head"); // is mamba_d_ssm / mamba_n_heads
    assertEquals(groups, Models.plain(directory, file).groups());
    file.put("mamba_d_ssm", null); // is mamba_expand * hidden_size
    file.put("mamba_expand", 1L);
    assertEquals(groups, Models.plain(directory, file).groups());
  }

  /** As LFM2-8B-A1B, whose class says nothing of its layers where the file does not. */
  @Test
  void convolutionsOfLfm2MoeAreThoseOfItsList() {
    List<String> types = new java.util.ArrayList<>(Collections.nCopies(24, "\"conv\""));
    for (int i : List.of(2, 6, 10, 14, 18, 21)) {
      types.set(i, "\"full_attention\"");
    }
    Map<String, Object> file = file("lfm2_moe", 2048, 24, 32, 8, "\"layer_types\":" + types);
    assertEquals("state %d:18 full 8x64+64:6".formatted(18 * 2048 * 2 * 2), groups(file));
    file.remove("layer_types");
    Models.assertRefused(
        "config.json: layer_types: missing; no whole file of the class lfm2_moe leaves it out",
        () -> groups(file));
  }

  @Test
  void nestedGemma3nIsItsTextModel() {
    Map<String, Object> text =
        file("gemma3n_text", 2048, 35, 8, 2, "\"head_dim\":256,\"sliding_window\":512");
    Map<String, Object> file = new LinkedHashMap<>();
    file.put("model_type", "gemma3n");
    file.put("architectures", List.of("Gemma3nForConditionalGeneration"));
    file.put("text_config", text);
    assertEquals("sliding 2x256+256:16 full 2x256+256:4", groups(file));
  }

  /** Which layers rotate K is identity, though it changes no size. */
  @Test
  void layersWithoutRopeSeparate() {
    Map<String, Object> file = file("smollm3", 512, 4, 8, 2, "\"x\":1");
    String derived = id(file);
    file.put("no_rope_layers", List.of(1L, 1L, 1L, 0L));
    assertEquals(derived, id(file));
    file.put("no_rope_layers", List.of(1L, 1L, 1L, 1L));
    assertNotEquals(derived, id(file));
  }

  private String id(Map<String, Object> file) {
    return Models.manifest(Models.plain(directory, file));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "smollm3 | \"use_sliding_window\":true | use_sliding_window: true, but which of its layers"
            + " slide is not described here",
        "hunyuan_v1_moe | \"use_cla\":true | use_cla: true, but some layers read what others keep",
        "hunyuan_v1_dense | \"rope_scaling\":{\"type\":\"dynamic\",\"alpha\":1000.0,\"factor\":1.0}"
            + " | rope_scaling.rope_type: \"dynamic\" rotates K by the length of the whole request",
        "exaone4 | \"sliding_window_pattern\":\"LLLG\" | sliding_window_pattern: \"LLLG\" is not a"
            + " whole number",
        "bailing_moe | \"x\":1 | model_type: \"bailing_moe\" is none of the classes",
        "step3_text | \"x\":1 | model_type: \"step3_text\" is none of the classes",
        "phi4mm | \"x\":1 | model_type: \"phi4mm\" is none of the classes",
        "longcat_flash | \"x\":1 | model_type: \"longcat_flash\" is none of the classes",
        "minimax_m3_vl | \"x\":1 | model_type: \"minimax_m3_vl\" is none of the classes"
      })
  void whatIsNotDescribedIsRefusedByName(String type, String more, String why) {
    Map<String, Object> file = file(type, 512, 8, 8, 2, more);
    String message =
        Assertions.assertThrows(FormatException.class, () -> groups(file)).getMessage();
    assertTrue(message.startsWith("config.json: " + why), message);
  }
}
