package io.kvasir.core.format;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.kvasir.api.EngineSpec;
import io.kvasir.api.format.FormatException;
import io.kvasir.api.format.FormatResolver;
import io.kvasir.api.format.KvFormat;
import io.kvasir.api.identity.CanonicalJson;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.identity.Weights;
import io.kvasir.core.identity.StrictJson;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** Small models of our own, and what resolvers make of them. */
final class Models {
  static final int BLOCK = 16;
  static final Map<String, Object> LAYOUT = Map.of("layout", "layer-kv-token-head/1");

  private Models() {}

  static FormatResolver resolver(String name) {
    return switch (name) {
      case "hf" -> new HfResolver();
      case "lmdeploy" -> new LmdeployResolver();
      default -> new ExplicitResolver();
    };
  }

  /** A whole file of a class, with nothing left to a default but what says nothing. */
  static Map<String, Object> config(String type) {
    return switch (type) {
      case "llama",
          "mistral",
          "mixtral",
          "qwen2",
          "qwen2_moe",
          "qwen3",
          "qwen3_moe",
          "gemma2",
          "gemma3_text",
          "gemma3",
          "deepseek_v2",
          "deepseek_v3" ->
          first(type);
      default -> small(type);
    };
  }

  /** The class of the language model of one that has parts. */
  static String language(ModelClass model) {
    return Tables.strings(model.table("parts").get("text_config")).getFirst();
  }

  /** A model of any class of the tables, as small as its rules allow. */
  private static Map<String, Object> small(String type) {
    ModelClass model = ModelClass.named(type);
    Map<String, Object> out = new LinkedHashMap<>();
    out.put("model_type", type);
    if (model.flag("parts")) {
      out.put("dtype", "bfloat16");
      out.put("text_config", new LinkedHashMap<>(config(language(model))));
      Tables.object(out.get("text_config")).remove("torch_dtype");
      return out;
    }
    out.put("torch_dtype", "bfloat16");
    out.put("num_hidden_layers", 8L);
    out.put("hidden_size", 512L);
    out.put("num_attention_heads", 8L);
    Map<String, Object> defaults = model.table("defaults");
    if (defaults.containsKey("num_key_value_heads")) {
      out.put("num_key_value_heads", type.equals("deepseek_v4") ? 1L : 2L);
    }
    for (String name : model.names("required")) {
      out.putIfAbsent(name, defaults.get(name));
    }
    switch (type) {
      case "minimax_m1", "minimax_text_01" ->
          out.putAll(
              json(
                  """
                  {"num_key_value_heads":2,"head_dim":64,"attn_type_list":[0,0,0,1,0,0,0,1],"rope_theta":10000000}\
                  """));
      case "step3p7" ->
          out.putAll(
              json(
                  """
                  {"num_key_value_heads":2,"head_dim":64,"sliding_window":512,"rope_theta":10000,"max_position_embeddings":65536,
                   "layer_types":["full_attention","sliding_attention","sliding_attention","sliding_attention",
                   "full_attention","sliding_attention","sliding_attention","sliding_attention"]}\
                  """));
      case "lfm2_moe" -> {
        String types = "\"conv\",\"conv\",\"full_attention\",\"conv\"";
        out.putAll(json("{\"layer_types\":[%s,%s]}".formatted(types, types)));
      }
      case "gemma3n_text" -> out.put("num_kv_shared_layers", 2L);
      case "nemotron_h" -> out.put("hybrid_override_pattern", "MEM*M-M*");
      case "nemotron-nas" ->
          out.put(
              "block_configs",
              java.util.stream.IntStream.range(0, 8)
                  .mapToObj(
                      i ->
                          json(
                              "{\"attention\":{\"n_heads_in_group\":%s,\"no_op\":%b},\"ffn\":{\"x\":1}}"
                                  .formatted(i == 3 ? null : 4, i == 3)))
                  .toList());
      default -> {}
    }
    return out;
  }

  private static Map<String, Object> first(String type) {
    return json(
        switch (type) {
          case "llama" ->
              """
              {"model_type":"llama","architectures":["LlamaForCausalLM"],"num_hidden_layers":4,"hidden_size":512,
               "num_attention_heads":8,"num_key_value_heads":2,"rope_theta":500000.0,"torch_dtype":"bfloat16",
               "max_position_embeddings":8192,"rms_norm_eps":1e-05,"vocab_size":1000,"intermediate_size":1024,
               "rope_scaling":{"rope_type":"llama3","factor":8.0,"low_freq_factor":1.0,"high_freq_factor":4.0,
               "original_max_position_embeddings":1024}}\
              """;
          case "mistral" ->
              """
              {"model_type":"mistral","architectures":["MistralForCausalLM"],"num_hidden_layers":4,"hidden_size":512,
               "num_attention_heads":16,"num_key_value_heads":8,"sliding_window":128,"max_position_embeddings":4096,
               "rope_theta":10000.0,"torch_dtype":"bfloat16"}\
              """;
          case "mixtral" ->
              """
              {"model_type":"mixtral","architectures":["MixtralForCausalLM"],"num_hidden_layers":2,"hidden_size":512,
               "num_attention_heads":16,"torch_dtype":"float16"}\
              """;
          case "qwen2" ->
              """
              {"model_type":"qwen2","architectures":["Qwen2ForCausalLM"],"num_hidden_layers":6,"hidden_size":448,
               "num_attention_heads":7,"num_key_value_heads":1,"rope_theta":1000000.0,"torch_dtype":"bfloat16",
               "sliding_window":64,"max_window_layers":4,"use_sliding_window":false,"max_position_embeddings":2048}\
              """;
          case "qwen2_moe" ->
              """
              {"model_type":"qwen2_moe","architectures":["Qwen2MoeForCausalLM"],"num_hidden_layers":2,"hidden_size":512,
               "num_attention_heads":16,"torch_dtype":"bfloat16"}\
              """;
          case "qwen3" ->
              """
              {"model_type":"qwen3","architectures":["Qwen3ForCausalLM"],"num_hidden_layers":3,"hidden_size":256,
               "num_attention_heads":16,"num_key_value_heads":8,"head_dim":32,"rope_theta":1000000,"torch_dtype":"bfloat16",
               "max_position_embeddings":2048,"rope_scaling":null,"sliding_window":null}\
              """;
          case "qwen3_moe" ->
              """
              {"model_type":"qwen3_moe","architectures":["Qwen3MoeForCausalLM"],"num_hidden_layers":3,"hidden_size":512,
               "num_attention_heads":32,"num_key_value_heads":4,"head_dim":128,"torch_dtype":"bfloat16"}\
              """;
          case "gemma2" ->
              """
              {"model_type":"gemma2","architectures":["Gemma2ForCausalLM"],"num_hidden_layers":5,"hidden_size":128,
               "num_attention_heads":8,"sliding_window":512,"torch_dtype":"bfloat16"}\
              """;
          case "gemma3_text" ->
              """
              {"model_type":"gemma3_text","architectures":["Gemma3ForCausalLM"],"num_hidden_layers":8,"hidden_size":128,
               "sliding_window":512,"torch_dtype":"bfloat16","rope_scaling":{"rope_type":"linear","factor":8.0}}\
              """;
          case "gemma3" ->
              """
              {"model_type":"gemma3","architectures":["Gemma3ForConditionalGeneration"],"torch_dtype":"bfloat16",
               "text_config":{"model_type":"gemma3_text","num_hidden_layers":8,"hidden_size":128,"sliding_window":512},
               "vision_config":{"model_type":"siglip_vision_model","hidden_size":1152}}\
              """;
          case "deepseek_v2", "deepseek_v3" ->
              """
              {"model_type":"%s","architectures":["%s"],"num_hidden_layers":3,"hidden_size":256,"num_attention_heads":16,
               "num_key_value_heads":16,"kv_lora_rank":512,"qk_rope_head_dim":64,"torch_dtype":"bfloat16","rope_theta":10000,
               "auto_map":{"AutoModel":"modeling_deepseek.Model"},
               "rope_scaling":{"type":"yarn","factor":40,"original_max_position_embeddings":4096,"beta_fast":32,"beta_slow":1,
               "mscale":1.0,"mscale_all_dim":1.0}}\
              """
                  .formatted(
                      type,
                      type.equals("deepseek_v2")
                          ? "DeepseekV2ForCausalLM"
                          : "DeepseekV3ForCausalLM");
          default -> throw new IllegalArgumentException(type);
        });
  }

  static Map<String, Object> json(String text) {
    return StrictJson.object("test", text.getBytes(StandardCharsets.UTF_8));
  }

  /** {@return a copy with a field changed; null removes, "null" is the literal} */
  static Map<String, Object> with(Map<String, Object> config, String name, String json) {
    Map<String, Object> out = new LinkedHashMap<>(config);
    if (json == null) {
      out.remove(name);
    } else {
      out.put(name, StrictJson.value("test", json.getBytes(StandardCharsets.UTF_8)));
    }
    return out;
  }

  @SuppressWarnings("unchecked")
  static Map<String, Object> inText(Map<String, Object> config, String name, String json) {
    Map<String, Object> out = new LinkedHashMap<>(config);
    out.put("text_config", with((Map<String, Object>) config.get("text_config"), name, json));
    return out;
  }

  static KvFormat hf(Path directory, Map<String, Object> config) {
    return hf(directory, config, Map.of());
  }

  /** {@return the format as no engine in particular would store it} */
  static KvFormat plain(Path directory, Map<String, Object> config) {
    String engine = "deepseek_v4".equals(config.get("model_type")) ? "large-blocks" : "none";
    return resolve("hf", engine, directory, CanonicalJson.text(config), LAYOUT);
  }

  static KvFormat hf(Path directory, Map<String, Object> config, Map<String, Object> settings) {
    Map<String, Object> all = new LinkedHashMap<>(LAYOUT);
    all.putAll(settings);
    return resolve("hf", "vllm", directory, CanonicalJson.text(config), all);
  }

  static KvFormat resolve(
      String resolver, String engine, Path directory, String config, Map<String, Object> settings) {
    try {
      Files.writeString(directory.resolve("config.json"), config);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    KvFormat format = resolver(resolver).resolve(spec(engine, directory, settings));
    format.check();
    return format;
  }

  static EngineSpec spec(String engine, Path directory, Map<String, Object> settings) {
    int tokens = engine.equals("large-blocks") ? 128 : BLOCK;
    EngineSpec.Builder spec = EngineSpec.builder().engine(engine).blockTokens(tokens);
    if (directory != null) {
      spec.model(directory);
    }
    settings.forEach(spec::setting);
    return spec.build();
  }

  /** {@return what a store would know the deployment by} */
  static String manifest(KvFormat format) {
    return NamespaceManifest.of("t", Weights.named("m", "w1"), format).id().hex();
  }

  static void assertRefused(String message, org.junit.jupiter.api.function.Executable action) {
    assertEquals(message, assertThrows(FormatException.class, action).getMessage());
  }
}
