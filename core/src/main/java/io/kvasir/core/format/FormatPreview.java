package io.kvasir.core.format;

import io.kvasir.api.EngineSpec;
import io.kvasir.api.format.FormatException;
import io.kvasir.api.format.FormatResolver;
import io.kvasir.api.format.KvFormat;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A format as far as a model's files tell it, for a person to look at: what an engine would have to
 * say besides is assumed, and listed. No store is opened under it.
 *
 * @param format the format
 * @param assumed settings that nobody gave, with what stands in for them
 * @param tokenizer digest of a GGUF file's tokenizer: a label
 */
public record FormatPreview(
    KvFormat format, Map<String, Object> assumed, Optional<String> tokenizer) {
  private static final Map<String, Object> ASSUMPTIONS =
      Map.of(
          "layout", "layer-kv-token-head/1",
          "dtype", "bfloat16",
          "kv_scales", "one",
          "rope_pinned_length", "max_position_embeddings",
          "quant_policy", 0,
          "backend", "pytorch");

  /** Tokens of a block that serve every model: some entries stand for 128 tokens. */
  private static final List<Integer> BLOCKS = List.of(16, 128);

  /**
   * {@return the format of a model}
   *
   * @param model a directory, a configuration or a GGUF file
   * @param engine the engine's name
   * @param blockTokens tokens of a block; the fewest that serve unless given
   * @param settings of the engine, as its resolver knows them, but for {@code kv_cache_dtype},
   *     which stands for LMDeploy's {@code quant_policy} too
   * @throws FormatException if the model or a setting is not understood
   */
  public static FormatPreview of(
      Path model, String engine, Optional<Integer> blockTokens, Map<String, Object> settings) {
    FormatException first = null;
    for (int tokens : blockTokens.map(List::of).orElse(BLOCKS)) {
      try {
        return resolved(model, engine, tokens, settings);
      } catch (FormatException e) {
        first = first == null ? e : first;
      }
    }
    throw first;
  }

  private static FormatPreview resolved(
      Path model, String engine, int tokens, Map<String, Object> settings) {
    boolean gguf = isGguf(model);
    boolean lmdeploy = engine.startsWith("lmdeploy") || engine.equals("turbomind");
    FormatResolver resolver =
        lmdeploy ? new LmdeployResolver() : gguf ? new GgufResolver() : new HfResolver();
    Map<String, Object> given = new LinkedHashMap<>(settings);
    if (lmdeploy && given.containsKey("kv_cache_dtype")) {
      Object policy = given.remove("kv_cache_dtype");
      given.put("quant_policy", policy);
    }
    Map<String, Object> assumed = new LinkedHashMap<>();
    while (true) {
      EngineSpec.Builder spec = EngineSpec.builder().engine(engine).model(model);
      spec.blockTokens(tokens);
      given.forEach(spec::setting);
      assumed.forEach(spec::setting);
      try {
        KvFormat format = resolver.resolve(spec.build());
        return new FormatPreview(
            format,
            assumed,
            gguf ? GgufHeader.read(GgufParts.header(model)).tokenizerDigest() : Optional.empty());
      } catch (FormatException e) {
        String missing = e.setting().orElseThrow(() -> e);
        if (given.containsKey(missing) || assumed.put(missing, ASSUMPTIONS.get(missing)) != null) {
          throw e;
        }
      }
    }
  }

  private static boolean isGguf(Path model) {
    if (!Files.isDirectory(model)) {
      return model.toString().endsWith(".gguf");
    }
    try (Stream<Path> files = Files.list(model)) {
      return !Files.exists(model.resolve("config.json"))
          && files.anyMatch(f -> f.toString().endsWith(".gguf"));
    } catch (java.io.IOException e) {
      throw new FormatException("%s: cannot be read: %s".formatted(model, e), e);
    }
  }
}
