package io.kvasir.core.format;

import io.kvasir.core.identity.StrictJson;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The committed tables: what the resolvers know of model classes and engines. */
final class Tables {
  private static final List<String> FAMILIES =
      List.of(
          "cohere",
          "deepseek",
          "gemma",
          "glm",
          "gpt",
          "hybrid",
          "llama",
          "minimax",
          "mistral",
          "phi",
          "qwen");

  /** Rules and defaults by model type. */
  static final Map<String, Object> CLASSES = families();

  /** What a kind of layers keeps where its class does not say. */
  static final Map<String, Object> LAYERS = object("layers.json");

  /**
   * What holds in every class: fields with the value that says nothing, fields that are refused.
   */
  static final Map<String, Object> COMMON = object("common.json");

  /** Parameters by RoPE type. */
  static final Map<String, Object> ROPE = object("rope.json");

  /** KV types by engine and by the engine's own name for them. */
  static final Map<String, Object> CACHE_TYPES = object("cache-types.json");

  /** What engines do where they are not asked for a type, by engine. */
  static final Map<String, Object> ENGINES = object("engines.json");

  /** Model types whose K and V depend on what comes later or lies outside, with the reason. */
  static final Map<String, Object> IMPURE = object("impure.json");

  /** Names of a configuration that say nothing about K and V. */
  static final Set<String> COSMETIC = names("cosmetic.json");

  private Tables() {}

  /** {@return an object of a table} */
  @SuppressWarnings("unchecked") // names of a JSON object are strings
  static Map<String, Object> object(Object json) {
    return (Map<String, Object>) json;
  }

  /** {@return a list of names of a table; empty if there is none} */
  static List<String> strings(Object json) {
    return json == null ? List.of() : ((List<?>) json).stream().map(String.class::cast).toList();
  }

  private static Map<String, Object> object(String name) {
    return StrictJson.object(name, bytes(name));
  }

  private static Map<String, Object> families() {
    Map<String, Object> out = new HashMap<>();
    FAMILIES.forEach(family -> out.putAll(object("classes/" + family + ".json")));
    return out;
  }

  private static Set<String> names(String name) {
    return Set.copyOf(new HashSet<>(strings(StrictJson.value(name, bytes(name)))));
  }

  private static byte[] bytes(String name) {
    try (InputStream in = Tables.class.getResourceAsStream(name)) {
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
