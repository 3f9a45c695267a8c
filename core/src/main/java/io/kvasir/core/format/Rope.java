package io.kvasir.core.format;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;

/**
 * RoPE in one spelling, whatever the file's: {@code rope_theta} and {@code rope_scaling} beside
 * each other, {@code type} or {@code rope_type}, or transformers 5's {@code rope_parameters}, flat
 * or by layer type.
 */
final class Rope {
  private static final String FULL = "full_attention";
  private static final String SLIDING = "sliding_attention";

  private final Fields config;
  private final Map<String, Object> thetas;
  private final OptionalInt pinned;

  private Rope(Fields config, ModelClass model, OptionalInt pinned) {
    this.config = config;
    this.thetas = model.table("rope_theta");
    this.pinned = pinned;
  }

  /**
   * Replaces the names of RoPE in a configuration by {@code rope_parameters}.
   *
   * @param pinned the length of which the engine uses the one table, where a type has many
   */
  static void normalize(Fields config, ModelClass model, OptionalInt pinned) {
    Rope rope = new Rope(config, model, pinned);
    Map<String, Object> parameters = rope.parameters();
    for (String name :
        new String[] {
          "rope_theta", "rope_scaling", "rope_local_base_freq", "partial_rotary_factor"
        }) {
      config.json().remove(name);
    }
    config.json().put("rope_parameters", parameters);
  }

  /** {@return the largest factor by which positions are stretched, at least 1} */
  static double reach(Map<String, Object> config) {
    Map<String, Object> parameters = Tables.object(config.get("rope_parameters"));
    double factor = factor(parameters);
    for (Object each : parameters.values()) {
      factor = Math.max(factor, each instanceof Map<?, ?> m ? factor(Tables.object(m)) : 1);
    }
    return factor;
  }

  private static double factor(Map<String, Object> parameters) {
    return parameters.get("factor") instanceof Number n ? Math.max(1, n.doubleValue()) : 1;
  }

  private Map<String, Object> parameters() {
    boolean byLayer = !thetas.containsKey("all");
    Map<String, Object> scaling = source("rope_scaling");
    Map<String, Object> given = source("rope_parameters");
    if (byLayer && (given.containsKey(FULL) || given.containsKey(SLIDING))) {
      Map<String, Object> out = new TreeMap<>();
      for (String layers : new String[] {FULL, SLIDING}) {
        Fields own = new Fields(config.at("rope_parameters."), given).object(layers);
        Map<String, Object> p = new LinkedHashMap<>(clean(own));
        merge(p, "rope_theta", thetaName(layers));
        if (layers.equals(FULL)) {
          agree("rope_scaling", scaling, p);
        }
        out.put(layers, complete(p, config.at("rope_parameters." + layers), thetas.get(layers)));
      }
      if (given.size() != 2) {
        throw config.error("rope_parameters", "names more than the two kinds of layers");
      }
      return out;
    }
    for (Map.Entry<String, Object> e : given.entrySet()) {
      if (e.getValue() instanceof Map<?, ?>) {
        throw config.error(
            "rope_parameters." + e.getKey(),
            "an object, but the class has one RoPE for all layers");
      }
    }
    Map<String, Object> p = new LinkedHashMap<>(given);
    if (given.isEmpty()) {
      p.putAll(scaling);
    } else {
      agree("rope_scaling", scaling, p);
    }
    merge(p, "rope_theta", "rope_theta");
    if (!byLayer) {
      return complete(p, place(given), thetas.get("all"));
    }
    Map<String, Object> sliding = new LinkedHashMap<>();
    merge(sliding, "rope_theta", thetaName(SLIDING));
    return new TreeMap<>(
        Map.of(
            FULL, complete(p, place(given), thetas.get(FULL)),
            SLIDING, complete(sliding, config.at("rope_scaling"), thetas.get(SLIDING))));
  }

  private String place(Map<String, Object> given) {
    return config.at(given.isEmpty() ? "rope_scaling" : "rope_parameters");
  }

  private static String thetaName(String layers) {
    return layers.equals(FULL) ? "rope_theta" : "rope_local_base_freq";
  }

  private Map<String, Object> source(String name) {
    return config.isNull(name) ? Map.of() : clean(config.object(name));
  }

  /** Null is absent, and {@code type} is the old name of {@code rope_type}. */
  private static Map<String, Object> clean(Fields scaling) {
    Map<String, Object> out = new LinkedHashMap<>();
    scaling
        .json()
        .forEach(
            (name, value) -> put(out, name.equals("type") ? "rope_type" : name, value, scaling));
    if ("su".equals(out.get("rope_type"))) {
      out.put("rope_type", "longrope");
    }
    return out;
  }

  private static void put(Map<String, Object> out, String name, Object value, Fields scaling) {
    if (value == null) {
      return;
    }
    Object old = out.putIfAbsent(name, value);
    if (old != null && !Fields.same(old, value)) {
      throw scaling.error(
          name, "%s contradicts %s".formatted(Fields.show(old), Fields.show(value)));
    }
  }

  /** Moves a name from beside the parameters into them. */
  private void merge(Map<String, Object> parameters, String name, String beside) {
    if (config.isNull(beside)) {
      return;
    }
    Object inside = parameters.putIfAbsent(name, config.get(beside));
    if (inside != null && !Fields.same(inside, config.get(beside))) {
      throw config.error(
          beside,
          "%s contradicts %s in rope_parameters; keep the one that is in force"
              .formatted(Fields.show(config.get(beside)), Fields.show(inside)));
    }
  }

  private void agree(String name, Map<String, Object> old, Map<String, Object> parameters) {
    old.forEach(
        (key, value) -> {
          if (!Fields.same(value, parameters.get(key))) {
            throw config.error(
                name + "." + key,
                "%s contradicts %s in rope_parameters; keep the one that is in force"
                    .formatted(Fields.show(value), Fields.show(parameters.get(key))));
          }
        });
  }

  private Map<String, Object> complete(Map<String, Object> given, String place, Object theta) {
    Map<String, Object> p = new TreeMap<>(given);
    if (!config.isNull("partial_rotary_factor")) {
      merge(p, "partial_rotary_factor", "partial_rotary_factor");
    }
    p.putIfAbsent("partial_rotary_factor", 1L);
    p.putIfAbsent("rope_theta", theta);
    p.putIfAbsent("rope_type", "default");
    Fields fields = new Fields(place + ".", p);
    Object rules = Tables.ROPE.get(fields.text("rope_type"));
    if (rules == null) {
      throw fields.error(
          "rope_type",
          "%s is none that is understood (%s); declare the format with the resolver \"explicit\""
              .formatted(Fields.show(p.get("rope_type")), String.join(", ", Tables.ROPE.keySet())));
    }
    Map<String, Object> rule = Tables.object(rules);
    Tables.object(rule.get("defaults")).forEach(p::putIfAbsent);
    for (String name : Tables.strings(rule.get("required"))) {
      if (fields.isNull(name)) {
        throw fields.error(
            name,
            "missing; a RoPE of type \"%s\" has no default for it".formatted(p.get("rope_type")));
      }
      if (!(p.get(name) instanceof java.util.List<?>)) {
        fields.positive(name);
      }
    }
    fields.positive("rope_theta");
    fields.positive("partial_rotary_factor");
    pin(fields, rule);
    return p;
  }

  private void pin(Fields parameters, Map<String, Object> rule) {
    if (!Boolean.TRUE.equals(rule.get("by_length"))) {
      return;
    }
    if (pinned.isEmpty()) {
      throw parameters.error(
          "rope_type",
          "\"%s\" rotates K by the length of the whole request, so no block can be shared; give the setting rope_pinned_length if the engine uses the one table of that length for all requests"
              .formatted(parameters.get("rope_type")));
    }
    parameters.json().put("pinned_length", (long) pinned.getAsInt());
  }
}
