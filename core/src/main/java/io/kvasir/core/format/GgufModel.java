package io.kvasir.core.format;

import io.kvasir.api.format.FormatException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * What a GGUF header says, as the {@code config.json} that it was made from would: the class of its
 * architecture and that class's names, as {@code gguf.json} has them. All keys of the architecture
 * stand in the configuration as well, so that what nobody understands counts.
 */
final class GgufModel {
  private final Fields keys;
  private final Map<String, Object> rules;
  private final Map<String, Object> config = new LinkedHashMap<>();

  private GgufModel(Fields keys, Map<String, Object> rules) {
    this.keys = keys;
    this.rules = rules;
  }

  /**
   * {@return the configuration}
   *
   * @param place what stands before a key in an error
   * @throws FormatException if the architecture is not understood, or a key is of the wrong type
   */
  static Map<String, Object> config(String place, Map<String, Object> values) {
    Fields all = new Fields(place, values);
    String architecture = all.text("general.architecture");
    Map<String, Object> known = Tables.of(Tables.GGUF, "architectures");
    if (!known.containsKey(architecture)) {
      throw all.error(
          "general.architecture",
          "\"%s\" is none that is understood (%s); declare the format with the resolver \"explicit\""
              .formatted(
                  Fields.cut(architecture), String.join(", ", new TreeSet<>(known.keySet()))));
    }
    Fields tree = new Fields(place + architecture + ".", new LinkedHashMap<>());
    values.forEach(
        (key, value) -> {
          if (key.startsWith(architecture + ".")) {
            tree.put(key.substring(architecture.length() + 1), value);
          }
        });
    GgufModel model = new GgufModel(tree, Tables.object(known.get(architecture)));
    return model.config(values.get("general.file_type"));
  }

  private Map<String, Object> config(Object fileType) {
    boolean experts = keys.path("expert_count") instanceof Long n && n > 0;
    boolean windowed = keys.path("attention.sliding_window") != null;
    Object type = rules.get("class");
    type = experts ? rules.getOrDefault("experts", type) : type;
    config.put("model_type", windowed ? rules.getOrDefault("windowed", type) : type);
    config.putAll(Tables.object(rules.getOrDefault("values", Map.of())));
    Map<String, Object> names = new LinkedHashMap<>(Tables.of(Tables.GGUF, "keys"));
    names.putAll(Tables.object(rules.getOrDefault("keys", Map.of())));
    names.forEach((key, name) -> copy(key, (String) name));
    Tables.object(rules.getOrDefault("sizes", Map.of()))
        .forEach(
            (name, e) -> {
              Object size = Expression.value((String) e, keys, name);
              if (size != null) {
                config.put(name, size);
              }
            });
    if (rules.containsKey("draft_layers")
        && keys.path("nextn_predict_layers") instanceof Long draft) {
      config.computeIfPresent(
          "num_hidden_layers", (_, n) -> n instanceof Long all ? all - draft : n);
    }
    pattern();
    headsByLayer();
    rope();
    String weights =
        String.valueOf(
            Tables.of(Tables.GGUF, "file_types").getOrDefault(String.valueOf(fileType), fileType));
    config.put("quantization_config", Map.of("quant_method", "gguf-" + weights));
    config.put("gguf", keys.json());
    return config;
  }

  private void copy(String key, String name) {
    Object value = keys.path(key);
    if (value != null && !name.isEmpty()) {
      new Fields("", config).put(name, value);
    }
  }

  /** One flag per layer that slides, or nothing where the class's own rule holds. */
  private void pattern() {
    if (keys.path("attention.sliding_window_pattern") instanceof List<?> slides) {
      List<String> types = new ArrayList<>();
      for (Object each : slides) {
        boolean sliding = each.equals(true) || each.equals(1L);
        types.add(sliding ? "sliding_attention" : "full_attention");
      }
      config.put("layer_types", types);
    }
  }

  /** Counts by layer: a layer without KV heads keeps something else, or nothing. */
  private void headsByLayer() {
    List<?> kv = config.get("num_key_value_heads") instanceof List<?> list ? list : null;
    if (config.get("num_attention_heads") instanceof List<?> heads) {
      config.put("num_attention_heads", largest(heads));
    }
    if (config.get("intermediate_size") instanceof List<?> sizes) {
      config.put("intermediate_size", largest(sizes));
    }
    if (kv == null) {
      return;
    }
    config.put("num_key_value_heads", largest(kv));
    if (rules.get("without_heads") instanceof String kind) {
      List<String> types = new ArrayList<>();
      for (int i = 0; i < kv.size(); i++) {
        types.add(!kv.get(i).equals(0L) ? "full_attention" : dense(i) ? "mlp" : kind);
      }
      config.put("layer_types", types);
    } else if (rules.containsKey("blocks")) {
      blocks(kv);
      return;
    }
    Map<String, Object> names = Tables.object(rules.getOrDefault("heads_by_kind", Map.of()));
    names.forEach((type, name) -> config.put((String) name, largest(ofKind(kv, type))));
    for (int i = 0; i < kv.size(); i++) {
      Object right = config.get(names.isEmpty() ? "num_key_value_heads" : headsName(names, i));
      if (!kv.get(i).equals(0L) && !kv.get(i).equals(right)) {
        throw keys.error(
            "attention.head_count_kv",
            "%s and %s in layers of one kind; declare the format with the resolver \"explicit\""
                .formatted(kv.get(i), right));
      }
    }
  }

  private String headsName(Map<String, Object> names, int layer) {
    return (String) names.get(String.valueOf(type(layer)));
  }

  private Object type(int layer) {
    return config.get("layer_types") instanceof List<?> t && layer < t.size() ? t.get(layer) : null;
  }

  private List<?> ofKind(List<?> kv, String type) {
    List<Object> out = new ArrayList<>();
    for (int i = 0; i < kv.size(); i++) {
      if (type.equals(type(i))) {
        out.add(kv.get(i));
      }
    }
    return out;
  }

  private boolean dense(int layer) {
    return keys.path("feed_forward_length") instanceof List<?> l
        && layer < l.size()
        && !l.get(layer).equals(0L);
  }

  private Long largest(List<?> counts) {
    long most = 0;
    for (Object each : counts) {
      most = Math.max(most, keys.whole("attention.head_count_kv", each));
    }
    return most;
  }

  /** A layer may have no attention, and each its own number of heads for one KV head. */
  private void blocks(List<?> kv) {
    List<Object> blocks = new ArrayList<>();
    long heads = keys.whole("attention.head_count", config.get("num_attention_heads"));
    for (Object each : kv) {
      long own = keys.whole("attention.head_count_kv", each);
      Map<String, Object> attention = new LinkedHashMap<>();
      attention.put("no_op", own == 0);
      attention.put("n_heads_in_group", own == 0 || heads % own != 0 ? null : heads / own);
      blocks.add(Map.of("attention", attention));
    }
    config.put("block_configs", blocks);
    config.put("num_key_value_heads", null);
  }

  private void rope() {
    Map<String, Object> scaling = new LinkedHashMap<>();
    boolean tables = rules.get("longrope_if") instanceof String key && keys.path(key) != null;
    Object type = tables ? "longrope" : keys.path("rope.scaling.type");
    if (type instanceof String && !type.equals("none")) {
      scaling.put("type", type);
      Tables.of(Tables.GGUF, "rope_scaling")
          .forEach((name, key) -> scaling.put(name, keys.path((String) key)));
      scaling.values().removeIf(v -> v == null);
      if (type.equals("longrope")) {
        scaling.put("short_factor", List.of()); // in tensors, as the weights' digest has them
        scaling.put("long_factor", List.of());
      }
      config.put("rope_scaling", scaling);
    }
    if (rules.containsKey("partial") && keys.path("rope.dimension_count") instanceof Long rotated) {
      Object head = config.get("head_dim");
      long width =
          head instanceof Long n
              ? n
              : Expression.number(
                  "embedding_length / attention.head_count", keys, "attention.key_length");
      config.put("partial_rotary_factor", BigDecimal.valueOf((double) rotated / width));
    }
  }
}
