package io.kvasir.core.format;

import static io.kvasir.core.format.Models.assertRefused;
import static io.kvasir.core.format.Models.config;
import static io.kvasir.core.format.Models.hf;
import static io.kvasir.core.format.Models.inText;
import static io.kvasir.core.format.Models.with;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.api.format.FormatException;
import io.kvasir.api.identity.CanonicalJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RefusedModelsTest {
  private static final String KNOWN =
      String.join(
          ", ",
          Tables.types().stream()
              .filter(type -> !type.equals("siglip_vision_model"))
              .sorted()
              .toList());
  private static final String IMPURE =
      ": its K and V depend on more than the tokens before them, so no block of it can be shared";

  @TempDir Path directory;

  @Test
  void classThatIsNotInTheTableIsRefusedByName() {
    assertRefused(
        "config.json: model_type: \"rwkv7\" is none of the classes that are understood ("
            + KNOWN
            + "); declare the whole format with the resolver \"explicit\"",
        () -> hf(directory, with(config("llama"), "model_type", "\"rwkv7\"")));
    assertRefused(
        "config.json: model_type: \"kimi_k9\" is none of the classes that are understood, and its"
            + " code comes with the model ("
            + KNOWN
            + "); declare the whole format with the resolver \"explicit\"",
        () -> hf(directory, with(config("deepseek_v3"), "model_type", "\"kimi_k9\"")));
    for (String type : List.of("qwen2_vl", "qwen2_5_vl")) {
      assertRefused(
          "config.json: model_type: \"%s\" is none of the classes that are understood: its files say what the language model is beside its vision or in text_config, and the two forms are not described here as one (%s); declare the whole format with the resolver \"explicit\""
              .formatted(type, KNOWN),
          () -> hf(directory, with(config("llama"), "model_type", "\"" + type + "\"")));
    }
    assertRefused(
        "config.json: model_type: missing; give a text",
        () -> hf(directory, with(config("llama"), "model_type", null)));
    assertRefused(
        "config.json: model_type: \"siglip_vision_model\" is none of the classes that are"
            + " understood ("
            + KNOWN
            + "); declare the whole format with the resolver \"explicit\"",
        () -> hf(directory, with(config("llama"), "model_type", "\"siglip_vision_model\"")));
  }

  /** As one published copy of Step-3.7-Flash, which lost all of its RoPE. */
  @Test
  void fileThatLostItsRopeIsRefusedWhereTheClassHasNoDefault() {
    for (String type : List.of("step3p7", "minimax_m1")) {
      assertRefused(
          "config.json: rope_theta: missing; the class has no default for it",
          () -> hf(directory, with(config(type), "rope_theta", null)));
    }
  }

  @Test
  void architectureAndCodeOfAnotherClassAreRefused() {
    assertRefused(
        "config.json: architectures: \"MyForCausalLM\" is no architecture of the class llama"
            + " (LlamaForCausalLM, LlamaForQuestionAnswering, LlamaForSequenceClassification,"
            + " LlamaForTokenClassification, LlamaModel); declare the format with the resolver"
            + " \"explicit\"",
        () -> hf(directory, with(config("llama"), "architectures", "[\"MyForCausalLM\"]")));
    assertRefused(
        "config.json: auto_map: \"modeling_my.MyModel\" is code that comes with the model and is"
            + " not that of the class llama; declare the format with the resolver \"explicit\"",
        () ->
            hf(
                directory,
                with(config("llama"), "auto_map", "{\"AutoModel\":\"modeling_my.MyModel\"}")));
    assertRefused(
        "config.json: auto_map: \"acme/x--modeling_deepseek.M\" is code that comes with the model"
            + " and is not that of the class deepseek_v3; declare the format with the resolver"
            + " \"explicit\"",
        () ->
            hf(
                directory,
                with(
                    config("deepseek_v3"),
                    "auto_map",
                    "{\"AutoModel\":\"acme/x--modeling_deepseek.M\"}")));
  }

  @ParameterizedTest
  @CsvSource({
    "is_encoder_decoder, true, true makes the model an encoder–decoder",
    "use_bidirectional_attention, true, true makes the model bidirectional",
    "use_bidirectional_attention, '\"vision\"', \"vision\" makes the model bidirectional",
    "is_causal, false, false makes the model bidirectional",
    "is_prefix_lm, true, true makes the model a prefix-LM",
    "model_type, '\"t5\"', \"t5\" is an encoder–decoder",
    "model_type, '\"paligemma\"', \"paligemma\" is a prefix-LM"
  })
  void modelWhoseKvIsNoFunctionOfTheTokensBeforeIsRefused(String name, String value, String why) {
    assertRefused(
        "config.json: " + name + ": " + why + IMPURE,
        () -> hf(directory, with(config("llama"), name, value)));
    if (!name.equals("model_type")) {
      assertRefused(
          "config.json: text_config." + name + ": " + why + IMPURE,
          () -> hf(directory, inText(config("gemma3"), name, value)));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "dynamic, '\"factor\":2.0'",
    "longrope, '\"short_factor\":[1.0],\"long_factor\":[2.0]'"
  })
  void ropeThatDependsOnTheRequestsLengthIsRefusedUnlessOneTableIsPinned(String type, String more) {
    Map<String, Object> file =
        with(config("llama"), "rope_scaling", "{\"rope_type\":\"%s\",%s}".formatted(type, more));
    assertRefused(
        "config.json: rope_scaling.rope_type: \"%s\" rotates K by the length of the whole request, so no block can be shared; give the setting rope_pinned_length if the engine uses the one table of that length for all requests"
            .formatted(type),
        () -> hf(directory, file));
    String at8k = Models.manifest(hf(directory, file, Map.of("rope_pinned_length", 8192)));
    assertNotEquals(
        at8k, Models.manifest(hf(directory, file, Map.of("rope_pinned_length", 16384))));
    assertEquals(at8k, Models.manifest(hf(directory, file, Map.of("rope_pinned_length", 8192L))));
    if (type.equals("longrope")) { // "su" is its old name
      assertEquals(
          at8k,
          Models.manifest(
              hf(
                  directory,
                  with(
                      file,
                      "rope_scaling",
                      "{\"type\":\"su\",\"short_factor\":[1],\"long_factor\":[2]}"),
                  Map.of("rope_pinned_length", 8192))));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "llama, num_hidden_layers", "llama, hidden_size", "llama, num_attention_heads",
    "qwen2, num_attention_heads", "gemma3_text, num_hidden_layers", "deepseek_v3, kv_lora_rank",
    "deepseek_v2, qk_rope_head_dim"
  })
  void trimmedFileIsRefused(String type, String name) {
    assertRefused(
        "config.json: %s: missing; no whole file of the class %s leaves it out"
            .formatted(name, type),
        () -> hf(directory, with(config(type), name, null)));
  }

  @ParameterizedTest
  @CsvSource({
    "llama3, factor",
    "llama3, low_freq_factor",
    "llama3, high_freq_factor",
    "llama3, original_max_position_embeddings",
    "yarn, factor",
    "yarn, original_max_position_embeddings",
    "linear, factor"
  })
  void ropeThatLostAFieldIsRefused(String type, String name) {
    String whole =
        "{\"type\":\"%s\",\"factor\":8,\"low_freq_factor\":1,\"high_freq_factor\":4,\"original_max_position_embeddings\":64,\"x\":0}"
            .formatted(type);
    hf(directory, with(config("llama"), "rope_scaling", whole));
    String trimmed = whole.replaceFirst("\"" + name + "\":[0-9]+,", "");
    assertRefused(
        "config.json: rope_scaling.%s: missing; a RoPE of type \"%s\" has no default for it"
            .formatted(name, type),
        () -> hf(directory, with(config("llama"), "rope_scaling", trimmed)));
  }

  @Test
  void ropeThatIsNotUnderstoodOrContradictsItselfIsRefused() {
    Map<String, Object> file = config("llama");
    assertRefused(
        "config.json: rope_scaling.rope_type: \"mrope\" is none that is understood (default,"
            + " proportional, linear, llama3, yarn, dynamic, longrope, su); declare the format with"
            + " the resolver \"explicit\"",
        () -> hf(directory, with(file, "rope_scaling", "{\"type\":\"mrope\"}")));
    assertRefused(
        "config.json: rope_scaling.rope_type: \"linear\" contradicts \"yarn\"; keep the one that is"
            + " in force",
        () ->
            hf(
                directory,
                with(file, "rope_scaling", "{\"rope_type\":\"linear\",\"type\":\"yarn\"}")));
    assertRefused(
        "config.json: rope_theta: 500000 contradicts 10000 in rope_parameters; keep the one that is"
            + " in force",
        () ->
            hf(
                directory,
                with(with(file, "rope_scaling", null), "rope_parameters", "{\"rope_theta\":1e4}")));
    assertRefused(
        "config.json: rope_scaling.factor: 8 contradicts 4 in rope_parameters; keep the one that is"
            + " in force",
        () ->
            hf(
                directory,
                with(
                    file,
                    "rope_parameters",
                    CanonicalJson.text(file.get("rope_scaling")).replace(":8,", ":4,"))));
    assertRefused(
        "config.json: rope_parameters.full_attention: an object, but the class has one RoPE for all"
            + " layers",
        () -> hf(directory, with(file, "rope_parameters", "{\"full_attention\":{}}")));
    assertRefused(
        "config.json: rope_parameters.sliding_attention: missing; give an object",
        () ->
            hf(
                directory,
                with(
                    with(config("gemma3_text"), "rope_scaling", null),
                    "rope_parameters",
                    "{\"full_attention\":{}}")));
    assertRefused(
        "config.json: rope_parameters.x: is none of the kinds of layers that have a RoPE"
            + " (full_attention, sliding_attention)",
        () ->
            hf(
                directory,
                with(
                    with(config("gemma3_text"), "rope_scaling", null),
                    "rope_parameters",
                    "{\"full_attention\":{},\"sliding_attention\":{},\"x\":{}}")));
    assertRefused(
        "config.json: rope_scaling: is not by kind of layers, but the class has a RoPE for each;"
            + " give rope_parameters.full_attention and the others",
        () ->
            hf(
                directory,
                with(
                    with(
                        config("gemma4_text"),
                        "rope_scaling",
                        "{\"rope_type\":\"linear\",\"factor\":8}"),
                    "rope_parameters",
                    "{\"full_attention\":{},\"sliding_attention\":{}}")));
  }

  @ParameterizedTest
  @CsvSource({
    "num_hidden_layers, 0, 0 is not a whole number from 1 to 4096",
    "num_hidden_layers, 4097, 4097 is not a whole number from 1 to 4096",
    "num_hidden_layers, 2.5, 2.5 is not a whole number from 1 to 4096",
    "num_hidden_layers, '\"4\"', \"4\" is not a whole number from 1 to 4096",
    "num_hidden_layers, 9007199254740991, 9007199254740991 is not a whole number from 1 to 4096",
    "num_key_value_heads, 3, 3 does not divide the 8 attention heads",
    "num_key_value_heads, 16, 16 does not divide the 8 attention heads",
    "hidden_size, 500, 'is 500 / 8 in this class, no whole number; give it'",
    "head_dim, 0, 0 is not a whole number from 1 to 65536",
    "head_dim, -64, -64 is not a whole number from 1 to 65536",
    "torch_dtype, '\"auto\"', '\"auto\" is none of bfloat16, float16, float32'",
    "torch_dtype, 16, 16 is not a text",
    "rope_scaling, 8, 8 is not an object",
    "architectures, '\"LlamaForCausalLM\"', \"LlamaForCausalLM\" is not an array"
  })
  void valueThatMeansNothingIsRefused(String name, String value, String why) {
    String field = value.equals("\"auto\"") ? "dtype" : value.equals("500") ? "head_dim" : name;
    assertRefused(
        "config.json: " + field + ": " + why,
        () -> hf(directory, with(config("llama"), name, value)));
  }

  @Test
  void nullIsRefusedWhereTheClassHasNoMeaningForIt() {
    assertRefused(
        "config.json: head_dim: null is not a whole number from 1 to 65536",
        () -> hf(directory, with(config("qwen3"), "head_dim", "null")));
    assertRefused(
        "config.json: num_key_value_heads: null is not a whole number from 1 to 65536",
        () -> hf(directory, with(config("gemma2"), "num_key_value_heads", "null")));
  }

  /** No file may hold it; an engine's override can. */
  @ParameterizedTest
  @CsvSource({"quantization_config, object", "architectures, array", "torch_dtype, text"})
  void numberOutOfRangeInAnOverrideIsRefusedByItsField(String name, String right) {
    Map<String, Object> huge = Map.of(name, new java.math.BigDecimal("1e308"));
    assertRefused(
        "config.json: %s: a number out of range is not a%s %s"
            .formatted(name, right.equals("text") ? "" : "n", right),
        () -> hf(directory, config("llama"), Map.of("hf_overrides", huge)));
  }

  @Test
  void contradictingTypesAreRefused() {
    assertRefused(
        "config.json: dtype: \"float16\" contradicts \"bfloat16\"; keep the one that is in force",
        () -> hf(directory, with(config("llama"), "dtype", "\"float16\"")));
    assertRefused(
        "config.json: text_config.dtype: \"float16\" contradicts \"bfloat16\"; keep the one that is"
            + " in force",
        () -> hf(directory, inText(config("gemma3"), "dtype", "\"float16\"")));
    assertRefused(
        "config.json: text_config.model_type: \"llama\" is not gemma3_text; declare the format with"
            + " the resolver \"explicit\"",
        () -> hf(directory, inText(config("gemma3"), "model_type", "\"llama\"")));
    assertRefused(
        "config.json: text_config: missing; give an object",
        () -> hf(directory, with(config("gemma3"), "text_config", null)));
  }

  @Test
  void directoryWithoutAConfigurationIsRefused() {
    assertRefused(
        "model: missing, but config.json is read from it; give EngineSpec.model, or declare the"
            + " format with the resolver \"explicit\"",
        () -> new HfResolver().resolve(Models.spec("vllm", null, Models.LAYOUT)));
    assertRefused(
        directory.resolve("config.json")
            + ": there is no such file; give the model's directory, or declare the format with the"
            + " resolver \"explicit\"",
        () -> new HfResolver().resolve(Models.spec("vllm", directory, Models.LAYOUT)));
  }

  @Test
  void fileThatIsNoWholeJsonIsRefusedInBoundedTimeAndWords() throws IOException {
    String whole = CanonicalJson.text(config("llama"));
    List<String> hostile =
        List.of(
            "",
            "[]",
            "null",
            whole.substring(0, whole.length() / 2),
            whole + "x",
            whole.replaceFirst("\\{", "{\"hidden_size\":1,"),
            whole.replace("512", "NaN"),
            whole.replace("512", "-Infinity"),
            whole.replace("512", "1e999999999"),
            whole.replace("512", "1e308"),
            whole.replace("512", "9".repeat(700)),
            whole.replace("512", "1" + "0".repeat(5000)),
            whole.replace("512", "9007199254740993"),
            whole.replace("\"LlamaForCausalLM\"", "[".repeat(100) + "]".repeat(100)),
            "[".repeat(1_000_000),
            "{\"a\":".repeat(1_000_000),
            whole.replace("llama", "\ud800"),
            whole.replace("\"llama\"", "\"\\u0000\""),
            whole.replace("\"llama\"", "\"" + "x".repeat(100_000) + "\""));
    for (String text : hostile) {
      String start = text.substring(0, Math.min(60, text.length()));
      Files.writeString(directory.resolve("config.json"), text.replace("\ud800", "\\ud800"));
      FormatException e =
          assertTimeoutPreemptively(
              Duration.ofSeconds(5),
              () ->
                  assertThrows(
                      FormatException.class,
                      () -> new HfResolver().resolve(Models.spec("v", directory, Models.LAYOUT)),
                      start));
      assertTrue(e.getMessage().contains("config.json"), e.getMessage());
      assertTrue(e.getMessage().length() < 2000, start + ": " + e.getMessage().length());
    }
  }
}
