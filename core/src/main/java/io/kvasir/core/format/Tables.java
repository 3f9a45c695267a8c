package io.kvasir.core.format;

import io.kvasir.core.identity.StrictJson;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The committed tables: what the resolvers know of model classes and engines. Each is read when it
 * is first asked for, of the classes only the family that a model belongs to.
 */
final class Tables {
  /** Parameters by RoPE type. */
  static final String ROPE = "rope.json";

  /** KV types by engine and by the engine's own name for them. */
  static final String CACHE_TYPES = "cache-types.json";

  /** What engines do where they are not asked for a type, by engine. */
  static final String ENGINES = "engines.json";

  /** Architectures of GGUF files: the class that each is, and the class's names of its keys. */
  static final String GGUF = "gguf.json";

  /** What a kind of layers keeps where its class does not say. */
  static final String LAYERS = "layers.json";

  /**
   * What holds in every class: fields with the value that says nothing, fields that are refused.
   */
  static final String COMMON = "common.json";

  /** Model types whose K and V depend on what comes later or lies outside, with the reason. */
  static final String IMPURE = "impure.json";

  /** Names of a configuration that say nothing about K and V. */
  static final Set<String> COSMETIC = Set.copyOf(strings(read("cosmetic.json")));

  private static final Map<String, Map<String, Object>> READ = new ConcurrentHashMap<>();
  private static final Map<String, String> FAMILIES = families();

  private Tables() {}

  /** {@return a table} */
  static Map<String, Object> of(String name) {
    return READ.computeIfAbsent(name, n -> object(read(n)));
  }

  /** {@return an object of a table; an empty one where there is none} */
  static Map<String, Object> of(String table, String name) {
    return object(of(table).getOrDefault(name, Map.of()));
  }

  /** {@return the model types of all classes} */
  static Set<String> types() {
    return FAMILIES.keySet();
  }

  /** {@return the rules of a class; null if there is none of this type} */
  static Map<String, Object> rules(String type) {
    String family = FAMILIES.get(type);
    return family == null ? null : of("classes/" + family + ".json", type);
  }

  private static Map<String, String> families() {
    Map<String, String> out = new HashMap<>();
    object(read("classes.json"))
        .forEach((family, types) -> strings(types).forEach(type -> out.put(type, family)));
    return out;
  }

  /** {@return an object of a table} */
  @SuppressWarnings("unchecked") // names of a JSON object are strings
  static Map<String, Object> object(Object json) {
    return (Map<String, Object>) json;
  }

  /** {@return a list of names of a table; empty if there is none} */
  @SuppressWarnings("unchecked") // the tables have names alone where the code asks for names
  static List<String> strings(Object json) {
    return json == null ? List.of() : (List<String>) json;
  }

  private static Object read(String name) {
    try (InputStream in = Tables.class.getResourceAsStream(name)) {
      return StrictJson.value(name, in.readAllBytes());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
