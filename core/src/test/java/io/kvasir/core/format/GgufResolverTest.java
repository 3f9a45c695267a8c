package io.kvasir.core.format;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.api.EngineSpec;
import io.kvasir.api.format.FormatException;
import io.kvasir.api.format.KvFormat;
import io.kvasir.api.format.KvGroup;
import io.kvasir.api.identity.CanonicalJson;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

class GgufResolverTest {
  private static final String BASE =
      """
      {"num_hidden_layers":8,"hidden_size":512,"num_attention_heads":8,"num_key_value_heads":2,
       "max_position_embeddings":65536,"rope_theta":20000,"dtype":"float16"}\
      """;

  /**
   * Architecture, model type, what {@code config.json} has beside the common fields (null takes one
   * out), and what llama.cpp's conversion writes for that.
   */
  private static final String[] HEADERS = {
    "llama | llama | {} | ",
    "llama | llama | {\"head_dim\":32} | attention.key_length=32 attention.value_length=32",
    "llama | llama | {\"rope_scaling\":{\"type\":\"linear\",\"factor\":4.0}} |"
        + " rope.scaling.type=linear rope.scaling.factor=4.0",
    "llama | mixtral | {} | expert_count=8 expert_used_count=2",
    "mistral3 | ministral3 | {\"head_dim\":32,\"sliding_window\":null} | attention.key_length=32",
    "granite | granite | {} | ",
    "deci | nemotron-nas | {\"num_key_value_heads\":null,\"block_configs\":BLOCKS} |"
        + " attention.head_count_kv=[2,2,0,4,2,2,2,2] attention.head_count=[8,8,0,8,8,8,8,8]",
    "llama4 | llama4_text | {\"head_dim\":64} | attention.key_length=64 expert_count=16"
        + " interleave_moe_layer_step=1",
    "qwen2 | qwen2 | {} | ",
    "qwen2moe | qwen2_moe | {} | expert_count=60",
    "qwen3 | qwen3 | {\"head_dim\":128} | attention.key_length=128 attention.value_length=128",
    "qwen3moe | qwen3_moe | {\"head_dim\":128} | attention.key_length=128 expert_count=128",
    "qwen3next | qwen3_next |"
        + " {\"head_dim\":256,\"linear_num_value_heads\":8,\"linear_num_key_heads\":4,\"linear_key_head_dim\":32,\"linear_value_head_dim\":64,\"partial_rotary_factor\":0.25}"
        + " | attention.key_length=256 full_attention_interval=4 ssm.conv_kernel=4"
        + " ssm.state_size=32 ssm.group_count=4 ssm.time_step_rank=8 ssm.inner_size=512"
        + " rope.dimension_count=64",
    "qwen35 | qwen3_5_text |"
        + " {\"head_dim\":256,\"linear_num_value_heads\":8,\"linear_num_key_heads\":4,\"linear_key_head_dim\":32,\"linear_value_head_dim\":64}"
        + " | attention.key_length=256 full_attention_interval=4 ssm.conv_kernel=4"
        + " ssm.state_size=32 ssm.group_count=4 ssm.time_step_rank=8 ssm.inner_size=512"
        + " rope.dimension_count=64",
    "qwen35moe | qwen3_5_moe_text | {\"head_dim\":256,\"linear_num_value_heads\":16} |"
        + " attention.key_length=256 full_attention_interval=4 ssm.conv_kernel=4 ssm.state_size=128"
        + " ssm.group_count=16 ssm.time_step_rank=16 ssm.inner_size=2048 rope.dimension_count=64"
        + " expert_count=256",
    "gemma | gemma | {\"head_dim\":256} | attention.key_length=256",
    "gemma2 | gemma2 | {\"head_dim\":256,\"sliding_window\":4096} | attention.key_length=256"
        + " attention.sliding_window=4096",
    "gemma3 | gemma3_text |"
        + " {\"head_dim\":256,\"sliding_window\":1024,\"rope_theta\":1000000,\"rope_scaling\":{\"type\":\"linear\",\"factor\":8.0}}"
        + " | attention.key_length=256 attention.sliding_window=1024 rope.freq_base=1000000.0"
        + " rope.scaling.type=linear rope.scaling.factor=8.0",
    "gemma4 | gemma4_text |"
        + " {\"rope_theta\":null,\"attention_k_eq_v\":true,\"num_key_value_heads\":4,\"num_global_key_value_heads\":2,\"head_dim\":64,\"global_head_dim\":128,\"sliding_window\":1024,\"num_kv_shared_layers\":1,\"layer_types\":LAST}"
        + " | attention.head_count_kv=[4,4,4,4,4,4,4,2] attention.key_length=128"
        + " attention.key_length_swa=64 attention.sliding_window=1024 attention.shared_kv_layers=1"
        + " attention.sliding_window_pattern=[true,true,true,true,true,true,true,false]"
        + " rope.freq_base=1000000.0 rope.freq_base_swa=10000.0",
    "gpt-oss | gpt_oss |"
        + " {\"head_dim\":64,\"sliding_window\":128,\"rope_scaling\":{\"rope_type\":\"yarn\",\"factor\":32.0,\"original_max_position_embeddings\":4096}}"
        + " | attention.key_length=64 attention.sliding_window=128 rope.scaling.type=yarn"
        + " rope.scaling.factor=32.0 rope.scaling.original_context_length=4096 expert_count=32",
    "gpt2 | gpt2 | {\"rope_theta\":null,\"num_key_value_heads\":null} | attention.head_count_kv=-"
        + " rope.freq_base=-",
    "gptj | gptj | {\"rope_theta\":null,\"num_key_value_heads\":null,\"rotary_dim\":32} |"
        + " attention.head_count_kv=- rope.freq_base=- rope.dimension_count=32",
    "gptneox | gpt_neox |"
        + " {\"num_key_value_heads\":null,\"rotary_pct\":0.25,\"rope_theta\":null,\"rotary_emb_base\":20000}"
        + " | attention.head_count_kv=- rope.dimension_count=16",
    "starcoder | gpt_bigcode |"
        + " {\"rope_theta\":null,\"num_key_value_heads\":null,\"multi_query\":true} |"
        + " attention.head_count_kv=1 rope.freq_base=-",
    "starcoder | gpt_bigcode |"
        + " {\"rope_theta\":null,\"num_key_value_heads\":null,\"multi_query\":false} |"
        + " attention.head_count_kv=8 rope.freq_base=-",
    "starcoder2 | starcoder2 | {\"sliding_window\":null} | ",
    "starcoder2 | starcoder2 | {\"sliding_window\":4096} | attention.sliding_window=4096",
    "bloom | bloom | {\"rope_theta\":null,\"num_key_value_heads\":null} | attention.head_count_kv=8"
        + " rope.freq_base=-",
    "mpt | mpt |"
        + " {\"rope_theta\":null,\"num_key_value_heads\":null,\"attn_config\":{\"attn_type\":\"grouped_query_attention\",\"kv_n_heads\":2}}"
        + " | rope.freq_base=- attention.max_alibi_bias=8.0",
    "mpt | mpt | {\"rope_theta\":null,\"num_key_value_heads\":null} | attention.head_count_kv=-"
        + " rope.freq_base=-",
    "falcon | falcon | {\"num_key_value_heads\":null,\"multi_query\":true} |"
        + " attention.head_count_kv=1",
    "falcon | falcon |"
        + " {\"num_key_value_heads\":null,\"num_kv_heads\":4,\"new_decoder_architecture\":true} |"
        + " attention.head_count_kv=4",
    "deepseek2 | deepseek_v3 |"
        + " {\"num_key_value_heads\":8,\"kv_lora_rank\":512,\"qk_rope_head_dim\":64,\"rope_scaling\":{\"type\":\"yarn\",\"factor\":40,\"original_max_position_embeddings\":4096}}"
        + " | attention.head_count_kv=1 attention.kv_lora_rank=512 attention.key_length=576"
        + " attention.value_length=512 attention.key_length_mla=192 rope.dimension_count=64"
        + " rope.scaling.type=yarn rope.scaling.factor=40.0"
        + " rope.scaling.original_context_length=4096 expert_count=256",
    "glm-dsa | glm_moe_dsa |"
        + " {\"num_key_value_heads\":8,\"kv_lora_rank\":256,\"qk_rope_head_dim\":32,\"index_head_dim\":64}"
        + " | block_count=9 nextn_predict_layers=1 attention.head_count_kv=1"
        + " attention.kv_lora_rank=256 attention.key_length=288 rope.dimension_count=32"
        + " attention.indexer.key_length=64 attention.indexer.head_count=32"
        + " attention.indexer.top_k=2048 expert_count=256",
    "kimi-linear | kimi_linear |"
        + " {\"rope_theta\":null,\"num_key_value_heads\":8,\"kv_lora_rank\":512,\"qk_rope_head_dim\":64,\"linear_attn_config\":{\"head_dim\":64,\"num_heads\":8,\"short_conv_kernel_size\":4,\"full_attn_layers\":[4,8],\"kda_layers\":[1,2,3,5,6,7]}}"
        + " | rope.freq_base=- attention.head_count_kv=[0,0,0,1,0,0,0,1] attention.kv_lora_rank=512"
        + " rope.dimension_count=64 kda.head_dim=64 ssm.conv_kernel=4 expert_count=256",
    "glm4 | glm4 | {\"head_dim\":64} | attention.key_length=64 rope.dimension_count=32",
    "glm4moe | glm4_moe | {\"head_dim\":128} | block_count=9 nextn_predict_layers=1"
        + " attention.key_length=128 rope.dimension_count=64 expert_count=160",
    "phi3 | phi3 | {\"partial_rotary_factor\":0.75} | rope.dimension_count=48",
    "phi3 | phi3 |"
        + " {\"rope_scaling\":{\"type\":\"longrope\",\"short_factor\":[1.0],\"long_factor\":[2.0]}}"
        + " | rope.dimension_count=64 rope.scaling.attn_factor=1.19"
        + " rope.scaling.original_context_length=4096",
    "command-r | cohere | {\"num_key_value_heads\":8} | attention.head_count_kv=8",
    "cohere2 | cohere2 | {\"sliding_window\":4096} | attention.sliding_window=4096",
    "olmo2 | olmo2 | {} | ",
    "olmo2 | olmo3 | {\"sliding_window\":4096} | attention.sliding_window=4096"
        + " attention.sliding_window_pattern=[true,true,true,false,true,true,true,false]",
    "minimax-m2 | minimax_m2 | {\"head_dim\":128,\"rotary_dim\":64} | attention.key_length=128"
        + " rope.dimension_count=64 expert_count=256",
    "mimo2 | mimo_v2_flash |"
        + " {\"num_key_value_heads\":2,\"swa_num_key_value_heads\":4,\"head_dim\":192,\"v_head_dim\":128,\"swa_rope_theta\":10000,\"sliding_window\":128,\"hybrid_layer_pattern\":[0,1,1,1,1,0,1,1],\"partial_rotary_factor\":0.334}"
        + " | attention.head_count_kv=[2,4,4,4,4,2,4,4] attention.key_length=192"
        + " attention.value_length=128 attention.sliding_window=128"
        + " attention.sliding_window_pattern=[0,1,1,1,1,0,1,1] rope.freq_base_swa=10000.0"
        + " expert_count=256",
    "jamba | jamba | {\"rope_theta\":null} | rope.freq_base=-"
        + " attention.head_count_kv=[0,0,0,0,2,0,0,0] ssm.conv_kernel=4 ssm.inner_size=1024"
        + " ssm.state_size=16 ssm.time_step_rank=32",
    "granitehybrid | granitemoehybrid |"
        + " {\"mamba_n_heads\":16,\"mamba_d_state\":128,\"layer_types\":[\"mamba\",\"mamba\",\"mamba\",\"attention\",\"mamba\",\"mamba\",\"mamba\",\"attention\"]}"
        + " | attention.head_count_kv=[0,0,0,2,0,0,0,2] ssm.conv_kernel=4 ssm.inner_size=1024"
        + " ssm.state_size=128 ssm.time_step_rank=16 ssm.group_count=1 expert_count=72",
    "granitehybrid | bamba |"
        + " {\"mamba_n_heads\":16,\"mamba_d_state\":128,\"attn_layer_indices\":[3,7]} |"
        + " rope.dimension_count=32 attention.head_count_kv=[0,0,0,2,0,0,0,2] ssm.conv_kernel=4"
        + " ssm.inner_size=1024 ssm.state_size=128 ssm.time_step_rank=16 ssm.group_count=1",
    "nemotron_h | nemotron_h |"
        + " {\"rope_theta\":null,\"head_dim\":64,\"mamba_num_heads\":16,\"mamba_head_dim\":32,\"hybrid_override_pattern\":\"M-M*M-M*\"}"
        + " | rope.freq_base=- attention.key_length=64 attention.head_count_kv=[0,0,0,2,0,0,0,2]"
        + " feed_forward_length=[0,64,0,0,0,64,0,0] ssm.conv_kernel=4 ssm.inner_size=512"
        + " ssm.state_size=128 ssm.time_step_rank=16 ssm.group_count=8",
    "nemotron_h_moe | nemotron_h |"
        + " {\"rope_theta\":null,\"head_dim\":64,\"mamba_num_heads\":16,\"mamba_head_dim\":32,\"hybrid_override_pattern\":\"MEM*MEM*\"}"
        + " | rope.freq_base=- attention.key_length=64 attention.head_count_kv=[0,0,0,2,0,0,0,2]"
        + " feed_forward_length=[0,64,0,0,0,64,0,0] ssm.conv_kernel=4 ssm.inner_size=512"
        + " ssm.state_size=128 ssm.time_step_rank=16 ssm.group_count=8 expert_count=128",
    "lfm2 | lfm2 | {\"full_attn_idxs\":[2,5]} | attention.head_count_kv=[0,0,2,0,0,2,0,0]"
        + " shortconv.l_cache=3",
    "lfm2moe | lfm2_moe |"
        + " {\"layer_types\":[\"conv\",\"conv\",\"full_attention\",\"conv\",\"conv\",\"full_attention\",\"conv\",\"conv\"]}"
        + " | attention.head_count_kv=[0,0,2,0,0,2,0,0] shortconv.l_cache=3 expert_count=32",
    "falcon-h1 | falcon_h1 |"
        + " {\"head_dim\":64,\"mamba_n_heads\":16,\"mamba_d_ssm\":512,\"mamba_d_head\":32,\"mamba_d_state\":128,\"mamba_n_groups\":2,\"mamba_d_conv\":3}"
        + " | attention.key_length=64 attention.value_length=64 ssm.conv_kernel=3"
        + " ssm.inner_size=512 ssm.state_size=128 ssm.time_step_rank=16 ssm.group_count=2",
    "gemma3n | gemma3n_text |"
        + " {\"num_hidden_layers\":22,\"head_dim\":128,\"sliding_window\":1024,\"num_kv_shared_layers\":2}"
        + " | block_count=22 attention.key_length=128 attention.sliding_window=1024"
        + " attention.shared_kv_layers=2.0"
        + " attention.sliding_window_pattern=[true,true,true,true,false,true,true,true,true,false,true,true,true,true,false,true,true,true,true,false,true,true]",
    "qwen3vl | qwen3_vl_text | {\"head_dim\":64} | attention.key_length=64 n_deepstack_layers=3"
        + " rope.dimension_sections=[24,20,20,0]",
    "qwen3vlmoe | qwen3_vl_moe_text | {\"head_dim\":128} | attention.key_length=128"
        + " n_deepstack_layers=3 expert_count=128",
    "smollm3 | smollm3 | {} | rope.dimension_count=64",
    "seed_oss | seed_oss | {\"head_dim\":32} | attention.key_length=32",
    "ernie4_5 | ernie4_5 | {\"head_dim\":32} | attention.key_length=32",
    "ernie4_5-moe | ernie4_5_moe | {} | expert_count=64",
    "arcee | arcee | {} | ",
    "olmoe | olmoe | {} | expert_count=64",
    "apertus | apertus | {} | rope.dimension_count=64",
    "exaone4 | exaone4 | {\"sliding_window\":null} | ",
    "exaone4 | exaone4 |"
        + " {\"sliding_window\":4096,\"layer_types\":[\"sliding_attention\",\"sliding_attention\",\"sliding_attention\",\"full_attention\",\"sliding_attention\",\"sliding_attention\",\"sliding_attention\",\"full_attention\"]}"
        + " | attention.sliding_window=4096"
        + " attention.sliding_window_pattern=[true,true,true,false,true,true,true,false]",
    "dots1 | dots1 | {\"num_hidden_layers\":70,\"sliding_window\":null} | block_count=70"
        + " expert_count=128",
    "qwen2 | mimo | {} | ",
    "deepseek2 | kimi_k2 |"
        + " {\"num_key_value_heads\":8,\"kv_lora_rank\":512,\"qk_rope_head_dim\":64,\"rope_theta\":50000}"
        + " | attention.head_count_kv=1 attention.kv_lora_rank=512 attention.key_length=576"
        + " rope.dimension_count=64 rope.freq_base=50000.0 expert_count=384"
  };

  private static final Map<String, Object> SETTINGS =
      Map.of("layout", "l/1", "dtype", "float16", "rope_pinned_length", 4096);

  @TempDir Path directory;

  @TestFactory
  Stream<DynamicTest> headerResolvesAsTheConfigurationItWasMadeFrom() {
    return Stream.of(HEADERS).flatMap(row -> Stream.of(2, 3).map(version -> test(row, version)));
  }

  private DynamicTest test(String row, int version) {
    return DynamicTest.dynamicTest(
        row.substring(0, Math.min(60, row.length())) + " v" + version,
        () -> {
          String[] columns = row.split(" \\| ", -1);
          KvFormat right = Models.resolve("hf", "none", directory, config(columns), SETTINGS);
          KvFormat found = gguf(header(columns).version(version).bytes(), "none", SETTINGS);
          assertEquals(right.groups(), found.groups());
          assertEquals(rope(right), rope(found));
          assertEquals(withoutRope(right), withoutRope(found));
        });
  }

  private static Object withoutRope(KvFormat format) {
    return format.config().tree().orElseThrow().get("no_rope_layers");
  }

  @Test
  void everyArchitectureOfTheTableHasAHeader() {
    Set<String> here = new TreeSet<>();
    Stream.of(HEADERS).forEach(row -> here.add(row.split(" \\| ", -1)[0]));
    assertEquals(new TreeSet<>(Tables.of(Tables.GGUF, "architectures").keySet()), here);
    assertTrue(HEADERS.length >= 30);
  }

  /** What of the two spellings is comparable: a header has no more of RoPE. */
  private static Map<String, Object> rope(KvFormat format) {
    Map<String, Object> out = new TreeMap<>();
    if (format.config().tree().orElseThrow().get("rope_parameters") instanceof Map<?, ?> rope) {
      flat("", Tables.object(rope), out);
    }
    return out;
  }

  private static void flat(String at, Map<String, Object> rope, Map<String, Object> out) {
    for (String name : List.of("rope_theta", "rope_type", "factor", "pinned_length")) {
      if (rope.containsKey(name)) {
        out.put(at + name, CanonicalJson.text(rope.get(name)));
      }
    }
    rope.forEach(
        (name, value) -> {
          if (value instanceof Map<?, ?> inner) {
            flat(name + ".", Tables.object(inner), out);
          }
        });
    if (rope.get("partial_rotary_factor") instanceof Number n) {
      out.put(at + "partial", Math.round(n.doubleValue() * 24));
    }
  }

  private static String config(String[] columns) {
    String blocks =
        Stream.of(4, 4, 0, 2, 4, 4, 4, 4)
            .map(
                n ->
                    "{\"attention\":{\"no_op\":%b,\"n_heads_in_group\":%s}}"
                        .formatted(n == 0, n == 0 ? null : n))
            .toList()
            .toString();
    String last = "[" + "\"sliding_attention\",".repeat(7) + "\"full_attention\"]";
    Map<String, Object> config = new LinkedHashMap<>(Models.json(BASE));
    config.put("model_type", columns[1]);
    Models.json(columns[2].replace("BLOCKS", blocks).replace("LAST", last))
        .forEach(
            (name, value) -> {
              config.put(name, value);
              if (value == null && !name.equals("sliding_window")) {
                config.remove(name);
              }
            });
    return CanonicalJson.text(config);
  }

  private static GgufFile header(String[] columns) {
    Map<String, Object> keys = new LinkedHashMap<>();
    keys.put("block_count", 8);
    keys.put("context_length", 65536);
    keys.put("embedding_length", 512);
    keys.put("attention.head_count", 8);
    keys.put("attention.head_count_kv", 2);
    keys.put("rope.freq_base", 20000.0f);
    for (String pair : columns[3].split(" ", -1)) {
      if (!pair.isEmpty()) {
        String[] parts = pair.split("=", 2);
        keys.put(parts[0], value(parts[1]));
      }
    }
    keys.values().removeIf("-"::equals);
    GgufFile file =
        new GgufFile()
            .put("general.architecture", columns[0])
            .put("general.file_type", 15)
            .put("tokenizer.ggml.model", "gpt2")
            .put("tokenizer.ggml.tokens", List.of("<s>", "a", "b"))
            .put("tokenizer.ggml.scores", List.of(0.0f, 1.0f, 2.0f))
            .put("tokenizer.chat_template", "{{ x }}".repeat(20_000));
    keys.forEach((key, value) -> file.put(columns[0] + "." + key, value));
    return file;
  }

  private static Object value(String text) {
    if (text.startsWith("[")) {
      return Arrays.stream(text.substring(1, text.length() - 1).split(",", -1))
          .map(GgufResolverTest::value)
          .toList();
    }
    if (text.equals("true") || text.equals("false")) {
      return Boolean.valueOf(text);
    }
    if (text.matches("[0-9]+")) {
      return Integer.valueOf(text);
    }
    return text.matches("[0-9.]+") ? (Object) Float.valueOf(text) : text;
  }

  private KvFormat gguf(byte[] bytes, String engine, Map<String, Object> settings)
      throws IOException {
    Path file = directory.resolve("model.gguf");
    Files.write(file, bytes);
    EngineSpec.Builder spec = EngineSpec.builder().engine(engine).model(file).blockTokens(16);
    settings.forEach(spec::setting);
    KvFormat format = new GgufResolver().resolve(spec.build());
    format.check();
    return format;
  }

  private static GgufFile llama() {
    return header(HEADERS[0].split(" \\| ", -1));
  }

  @Test
  void enginesTypesHold() throws IOException {
    KvFormat format = gguf(llama().bytes(), "llama.cpp", Models.LAYOUT);
    assertEquals("f16", format.groups().getFirst().kDtype().wireName());
    assertEquals("f32", format.compute().activations());
    assertEquals("gguf-q4_k_m", format.compute().weights());
    KvGroup q8 =
        gguf(llama().bytes(), "llama.cpp", with(Models.LAYOUT, "kv_cache_dtype", "q8_0"))
            .groups()
            .getFirst();
    assertEquals(8L * 2 * 2 * 16 * (64 + 2 * 2), q8.payloadBytes(format.shards()));
    KvGroup q4 =
        gguf(llama().bytes(), "llama.cpp", with(Models.LAYOUT, "kv_cache_dtype", "q4_0"))
            .groups()
            .getFirst();
    assertEquals(8L * 2 * 2 * 16 * (32 + 2 * 2), q4.payloadBytes(format.shards()));
    Models.assertRefused(
        "model.gguf: dtype: missing, and engines differ in what they take then; give the setting"
            + " dtype: bfloat16, float16 or float32",
        () -> gguf(llama().bytes(), "none", Models.LAYOUT));
  }

  private static Map<String, Object> with(Map<String, Object> map, String name, Object value) {
    Map<String, Object> out = new LinkedHashMap<>(map);
    out.put(name, value);
    return out;
  }

  @Test
  void directoryWithOneFileIsThatFile() throws IOException {
    Files.write(directory.resolve("a.gguf"), llama().bytes());
    EngineSpec.Builder spec =
        EngineSpec.builder().engine("llama.cpp").model(directory).blockTokens(16);
    spec.setting("layout", "l/1");
    Files.writeString(directory.resolve("README.md"), "no model");
    assertEquals(1, new GgufResolver().resolve(spec.build()).groups().size());
    Files.write(directory.resolve("b.gguf"), llama().bytes());
    Models.assertRefused(
        directory + ": has 2 files *.gguf; give the file, of a split model the first",
        () -> new GgufResolver().resolve(spec.build()));
  }

  /**
   * As llama.cpp's gguf-split cuts a file: the first part has the header, and parts count from 0.
   */
  @Test
  void splitModelIsItsFirstPart() throws IOException {
    Path first = directory.resolve("m-00001-of-00002.gguf");
    Path second = directory.resolve("m-00002-of-00002.gguf");
    Files.write(first, llama().put("split.no", 0).put("split.count", 2).bytes());
    Files.write(second, new GgufFile().put("split.no", 1).put("split.count", 2).bytes());
    String whole = id(llama());
    Files.delete(directory.resolve("model.gguf"));
    assertEquals(whole, Models.manifest(resolve(directory)));
    assertEquals(whole, Models.manifest(resolve(first)));
    Models.assertRefused(
        second + ": split.no: 1, a later part of a split model, without its header; give " + first,
        () -> resolve(second));
    Files.delete(first);
    Models.assertRefused(
        first + ": missing; it has the header of the parts that are beside it",
        () -> resolve(directory));
    Path renamed = Files.move(second, directory.resolve("renamed.gguf"));
    Models.assertRefused(
        renamed
            + ": split.no: 1, a later part of a split model, without its header; give its first"
            + " part",
        () -> resolve(renamed));
    Files.write(directory.resolve("n-00001-of-00002.gguf"), llama().bytes());
    Models.assertRefused(
        directory + ": has 2 files *.gguf; give the file, of a split model the first",
        () -> resolve(directory));
  }

  private KvFormat resolve(Path model) {
    EngineSpec.Builder spec = EngineSpec.builder().engine("llama.cpp").model(model).blockTokens(16);
    Models.LAYOUT.forEach(spec::setting);
    return new GgufResolver().resolve(spec.build());
  }

  @Test
  void tokenizerIsALabelAndNoIdentity() throws IOException {
    String before = id(llama());
    String digest = digest(llama());
    GgufFile other = llama().put("tokenizer.ggml.tokens", List.of("<s>", "a", "c"));
    assertNotEquals(digest, digest(other));
    assertEquals(before, id(other));
    GgufFile template = llama().put("tokenizer.chat_template", "{{ y }}");
    assertEquals(digest, digest(template));
    assertEquals(before, id(template));
    assertTrue(digest.matches("sha256:[0-9a-f]{64}"), digest);
    assertNotEquals(digest, digest(llama().put("tokenizer.huggingface.json", "{}")));
  }

  @Test
  void tokenizersLabelIsOfKeysAndValuesWhateverTheirOrder() throws IOException {
    GgufFile file = new GgufFile().put("tokenizer.a", "x").put("tokenizer.b", "y");
    GgufFile turned = new GgufFile().put("tokenizer.b", "y").put("tokenizer.a", "x");
    GgufFile swapped = new GgufFile().put("tokenizer.a", "y").put("tokenizer.b", "x");
    GgufFile named = new GgufFile().put("tokenizer.a", "x").put("tokenizer.c", "y");
    assertEquals(digest(file), digest(turned));
    assertNotEquals(digest(file), digest(swapped));
    assertNotEquals(digest(file), digest(named));
  }

  /** Its texts are bytes to be told apart, whatever they mean: nobody reads them here. */
  @Test
  void tokenizerThatIsNotUtf8HasALabelAndHindersNobody() throws IOException {
    byte[] bytes = llama().put("tokenizer.ggml.model", "QQ").bytes();
    String text = new String(bytes, StandardCharsets.ISO_8859_1);
    bytes[text.indexOf("QQ")] = (byte) 0xFF;
    assertEquals(id(llama()), Models.manifest(gguf(bytes, "llama.cpp", Models.LAYOUT)));
    Path path = directory.resolve("t.gguf");
    Files.write(path, bytes);
    assertTrue(GgufHeader.read(path).tokenizerDigest().isPresent());
  }

  @Test
  void fileWithoutATokenizerHasNoLabel() throws IOException {
    Path path = directory.resolve("t.gguf");
    Files.write(path, new GgufFile().put("general.architecture", "llama").bytes());
    assertEquals(Optional.empty(), GgufHeader.read(path).tokenizerDigest());
  }

  @Test
  void keyOfTheModelThatNobodyUnderstandsCountsAndOneOfNobodyDoesNot() throws IOException {
    assertNotEquals(id(llama()), id(llama().put("llama.nobody_knows", 1)));
    assertEquals(id(llama()), id(llama().put("general.author", "someone")));
    assertNotEquals(id(llama()), id(llama().put("llama.rope.freq_base", 20001.0f)));
    assertNotEquals(id(llama()), id(llama().put("general.file_type", 7)));
  }

  private String id(GgufFile file) throws IOException {
    return Models.manifest(gguf(file.bytes(), "llama.cpp", Models.LAYOUT));
  }

  private String digest(GgufFile file) throws IOException {
    Path path = directory.resolve("t.gguf");
    Files.write(path, file.bytes());
    return GgufHeader.read(path).tokenizerDigest().orElseThrow();
  }

  @Test
  void whatIsNoWholeHeaderIsRefused() throws IOException {
    byte[] whole = llama().bytes();
    Path file = directory.resolve("model.gguf");
    assertEquals(
        file
            + ": version 1 is not read, versions 2 and 3 are (little endian); give a whole GGUF"
            + " file",
        refused(llama().version(1).bytes()));
    assertEquals(
        file
            + ": version 50331648 is not read, versions 2 and 3 are (little endian); give a whole"
            + " GGUF file",
        refused(llama().version(3 << 24).bytes())); // big endian
    assertEquals(file + ": is no GGUF file; give a whole GGUF file", refused(new byte[100]));
    assertTrue(refused(Arrays.copyOf(whole, 300)).endsWith("give a whole GGUF file"));
    byte[] claims = whole.clone();
    Arrays.fill(claims, 16, 24, (byte) 0x7f);
    assertEquals(
        file + ": claims 9187201950435737471 keys; at most 65536; give a whole GGUF file",
        refused(claims));
    assertTrue(
        refused(new GgufFile().put("general.architecture", "rwkv7").bytes())
            .startsWith(
                "model.gguf: general.architecture: \"rwkv7\" is none that is understood ("));
    GgufFile heads = llama().put("llama.attention.head_count_kv", List.of(2, 2, 4, 2, 2, 2, 2, 2));
    assertEquals(
        "model.gguf: llama.attention.head_count_kv: 2 and 4 in layers of one kind; declare the"
            + " format with the resolver \"explicit\"",
        refused(heads.bytes()));
    Models.assertRefused(
        "model.gguf: num_attention_heads: missing; no whole file of the class llama leaves it out",
        () ->
            gguf(
                new GgufFile()
                    .put("general.architecture", "llama")
                    .put("llama.block_count", 8)
                    .put("llama.embedding_length", 512)
                    .bytes(),
                "llama.cpp",
                Models.LAYOUT));
  }

  private String refused(byte[] bytes) {
    return assertThrows(FormatException.class, () -> gguf(bytes, "llama.cpp", Models.LAYOUT))
        .getMessage();
  }

  /**
   * Any byte may be wrong: the header is refused, or it says what it says; nothing else happens.
   */
  @Test
  void damagedHeaderNeverCrashesNorHangs() throws IOException {
    Random random = new Random(7);
    byte[] whole =
        header(HEADERS[18].split(" \\| ", -1)).put("tokenizer.chat_template", "x").bytes();
    Set<String> outcomes = new HashSet<>();
    for (int i = 0; i < 2000; i++) {
      byte[] damaged = whole.clone();
      for (int k = 0; k <= i % 3; k++) {
        damaged[random.nextInt(damaged.length)] = (byte) random.nextInt(256);
      }
      byte[] bytes = i % 5 == 0 ? Arrays.copyOf(damaged, random.nextInt(damaged.length)) : damaged;
      outcomes.add(
          assertTimeoutPreemptively(
              Duration.ofSeconds(10),
              () -> {
                try {
                  gguf(bytes, "llama.cpp", Models.LAYOUT);
                  return "resolved";
                } catch (FormatException e) {
                  assertTrue(e.getMessage().length() < 2000, e.getMessage());
                  return "refused";
                }
              }));
    }
    assertEquals(Set.of("resolved", "refused"), outcomes);
  }

  @Test
  void nestedArraysAreBounded() throws IOException {
    List<Object> deep = new ArrayList<>(List.of(1));
    for (int i = 0; i < 10; i++) {
      deep = new ArrayList<>(List.of(deep));
    }
    assertTrue(refused(llama().put("llama.deep", deep).bytes()).contains("nested deeper than 4"));
  }
}
