package io.kvasir.core.format;

import io.kvasir.api.identity.CanonicalJson;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;

/**
 * RoPE in one spelling, whatever the file's: {@code rope_theta} and {@code rope_scaling} beside
 * each other, {@code type} or {@code rope_type}, or transformers 5's {@code rope_parameters}, flat
 * or by kind of layers.
 *
 * <p>A class's {@code rope} has {@code theta} (null: the file must say), {@code partial}, and
 * {@code partial_from} where the file may say the rotated dimensions instead; {@code kinds} with
 * these by kind of layers, of which one is {@code scaled}; {@code default} where the file has no
 * scaling; {@code types} that mean others; {@code original}: the length beside the parameters wins;
 * {@code off}: a field that says that there is no RoPE.
 */
final class Rope {
  private static final List<String> LEARNT = List.of("llama3", "yarn", "longrope");
  private static final String PARTIAL = "partial_rotary_factor";

  private final Fields config;
  private final Map<String, Object> rule;
  private final Settings settings;

  private Rope(Fields config, Map<String, Object> rule, Settings settings) {
    this.config = config;
    this.rule = rule;
    this.settings = settings;
  }

  /**
   * Replaces the names of RoPE in a configuration by {@code rope_parameters}, if its class has one.
   *
   * @param settings say of which length the engine uses the one table, where a type has many
   */
  static void normalize(Fields config, ModelClass model, Settings settings) {
    Map<String, Object> rule = model.table("rope");
    if (rule.isEmpty()
        || (rule.get("off") instanceof String off && Boolean.TRUE.equals(config.get(off)))) {
      return;
    }
    new Rope(config, rule, settings).normalize();
  }

  /** {@return the largest factor by which positions are stretched, at least 1} */
  static double reach(Map<String, Object> config) {
    if (!(config.get("rope_parameters") instanceof Map<?, ?> parameters)) {
      return 1;
    }
    double factor = factor(Tables.object(parameters));
    for (Object each : parameters.values()) {
      factor = Math.max(factor, each instanceof Map<?, ?> m ? factor(Tables.object(m)) : 1);
    }
    return factor;
  }

  private static double factor(Map<String, Object> parameters) {
    return parameters.get("factor") instanceof Number n ? Math.max(1, n.doubleValue()) : 1;
  }

  private void normalize() {
    Map<String, Object> kinds = Tables.object(rule.getOrDefault("kinds", Map.of()));
    Map<String, Object> given = source("rope_parameters");
    boolean nested = given.keySet().stream().anyMatch(kinds::containsKey);
    given.forEach(
        (name, value) -> {
          if (value instanceof Map<?, ?> && !kinds.containsKey(name)) {
            throw config.error(
                "rope_parameters." + name,
                kinds.isEmpty()
                    ? "an object, but the class has one RoPE for all layers"
                    : "is none of the kinds of layers that have a RoPE (%s)"
                        .formatted(String.join(", ", new TreeMap<>(kinds).keySet())));
          }
        });
    Map<String, Object> out = new TreeMap<>();
    if (kinds.isEmpty()) {
      out.putAll(complete(flat(given), place(given), rule));
    } else {
      given.forEach((name, value) -> out.put(name, nested ? value : null));
      out.values().removeIf(v -> v == null);
      kinds.forEach((kind, own) -> out.put(kind, ofKind(kind, Tables.object(own), nested, given)));
    }
    boolean ownPartial = nested && CanonicalJson.text(given).contains(PARTIAL);
    kinds.values().forEach(k -> config.remove(thetaName(Tables.object(k))));
    List.of("rope_theta", "rope_scaling").forEach(config::remove);
    if (!ownPartial) {
      config.remove(PARTIAL);
    }
    if (rule.get("partial_from") instanceof String from) {
      config.remove(Expression.names(from).getFirst());
    }
    config.json().put("rope_parameters", out);
  }

  private Map<String, Object> ofKind(
      String kind, Map<String, Object> own, boolean nested, Map<String, Object> given) {
    Map<String, Object> p = new LinkedHashMap<>();
    String place = config.at("rope_parameters." + kind);
    if (nested) {
      p.putAll(clean(new Fields(config.at("rope_parameters."), given).object(kind)));
    } else if (own.containsKey("scaled")) {
      p.putAll(flat(given));
      place = place(given);
    } else {
      require(given, kind);
    }
    if (nested && own.containsKey("scaled")) {
      agree(source("rope_scaling"), p);
    }
    merge(p, "rope_theta", thetaName(own));
    return complete(p, place, own);
  }

  /** A class in which nothing is scaled has no meaning for parameters of all layers. */
  private void require(Map<String, Object> given, String kind) {
    boolean scaled =
        Tables.object(rule.get("kinds")).values().stream()
            .anyMatch(k -> Tables.object(k).containsKey("scaled"));
    if (!scaled && !(given.isEmpty() && source("rope_scaling").isEmpty())) {
      throw config.error(
          given.isEmpty() ? "rope_scaling" : "rope_parameters",
          "is not by kind of layers, but the class has a RoPE for each; give rope_parameters.%s and the others"
              .formatted(kind));
    }
  }

  private Map<String, Object> flat(Map<String, Object> given) {
    Map<String, Object> p = new LinkedHashMap<>(given);
    Map<String, Object> scaling = source("rope_scaling");
    if (given.isEmpty()) {
      p.putAll(scaling);
    } else {
      agree(scaling, p);
    }
    if (p.isEmpty() && rule.containsKey("default")) {
      p.putAll(Tables.object(rule.get("default")));
    }
    if (!rule.containsKey("kinds")) {
      merge(p, "rope_theta", "rope_theta");
    }
    return p;
  }

  private String place(Map<String, Object> given) {
    return config.at(given.isEmpty() ? "rope_scaling" : "rope_parameters");
  }

  private static String thetaName(Map<String, Object> kind) {
    return (String) kind.getOrDefault("theta_name", "rope_theta");
  }

  private Map<String, Object> source(String name) {
    return config.isNull(name) ? Map.of() : clean(config.object(name));
  }

  /** Null is absent, and {@code type} is the old name of {@code rope_type}. */
  private Map<String, Object> clean(Fields scaling) {
    Map<String, Object> out = new LinkedHashMap<>();
    scaling
        .json()
        .forEach(
            (name, value) -> {
              String own = name.equals("type") ? "rope_type" : name;
              Object old = value == null ? null : out.putIfAbsent(own, value);
              if (old != null && !Fields.same(old, value)) {
                throw scaling.error(
                    own, "%s contradicts %s".formatted(Fields.show(old), Fields.show(value)));
              }
            });
    Map<String, Object> types = Tables.object(rule.getOrDefault("types", Map.of()));
    Object type = "su".equals(out.get("rope_type")) ? "longrope" : out.get("rope_type");
    out.computeIfPresent(
        "rope_type", (_, _) -> type instanceof String s ? types.getOrDefault(s, s) : type);
    return out;
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

  private void agree(Map<String, Object> old, Map<String, Object> parameters) {
    old.forEach(
        (key, value) -> {
          if (!Fields.same(value, parameters.get(key))) {
            throw config.error(
                "rope_scaling." + key,
                "%s contradicts %s in rope_parameters; keep the one that is in force"
                    .formatted(Fields.show(value), Fields.show(parameters.get(key))));
          }
        });
  }

  private Map<String, Object> complete(
      Map<String, Object> given, String place, Map<String, Object> own) {
    Map<String, Object> p = new TreeMap<>(given);
    partial(p, own);
    Object theta = own.getOrDefault("theta", rule.get("theta"));
    if (theta != null) {
      p.putIfAbsent("rope_theta", theta);
    }
    p.putIfAbsent("rope_type", own.getOrDefault("type", "default"));
    Fields fields = new Fields(place + ".", p);
    Object rules = Tables.of(Tables.ROPE).get(fields.text("rope_type"));
    if (rules == null) {
      throw fields.error(
          "rope_type",
          "%s is none that is understood (%s); declare the format with the resolver \"explicit\""
              .formatted(
                  Fields.show(p.get("rope_type")),
                  String.join(", ", Tables.of(Tables.ROPE).keySet())));
    }
    Map<String, Object> type = Tables.object(rules);
    if (rule.containsKey("original") && LEARNT.contains(p.get("rope_type"))) {
      merge(p, "original_max_position_embeddings", "original_max_position_embeddings");
    }
    if (own.get(String.valueOf(p.get("rope_type"))) instanceof Map<?, ?> more) {
      Tables.object(more).forEach(p::putIfAbsent);
    }
    Tables.object(type.get("defaults")).forEach(p::putIfAbsent);
    for (String name : Tables.strings(type.get("required"))) {
      if (fields.isNull(name)) {
        throw fields.error(
            name,
            "missing; a RoPE of type \"%s\" has no default for it".formatted(p.get("rope_type")));
      }
      if (!(p.get(name) instanceof List<?>)) {
        fields.positive(name);
      }
    }
    if (!p.containsKey("rope_theta")) {
      throw config.error("rope_theta", "missing; the class has no default for it");
    }
    fields.positive("rope_theta");
    fields.positive(PARTIAL);
    pin(fields, type);
    return p;
  }

  /** The share of a head that is rotated, which some files say as a number of dimensions. */
  private void partial(Map<String, Object> p, Map<String, Object> own) {
    if (!(p.containsKey(PARTIAL) && rule.containsKey("kinds"))) {
      merge(p, PARTIAL, PARTIAL);
    }
    if (rule.get("partial_from") instanceof String from) {
      List<String> names = Expression.names(from);
      if (!config.isNull(names.getFirst())) {
        double share = config.positive(names.getFirst()) / config.positive(names.getLast());
        Object inside = p.putIfAbsent(PARTIAL, BigDecimal.valueOf(share));
        if (inside != null && !(inside instanceof Number n && n.doubleValue() == share)) {
          throw config.error(
              names.getFirst(),
              "%s contradicts %s %s; keep the one that is in force"
                  .formatted(
                      Fields.show(config.get(names.getFirst())), PARTIAL, Fields.show(inside)));
        }
      }
    }
    p.putIfAbsent(PARTIAL, own.getOrDefault("partial", rule.getOrDefault("partial", 1L)));
  }

  private void pin(Fields parameters, Map<String, Object> type) {
    if (!type.containsKey("by_length")) {
      return;
    }
    OptionalInt pinned = settings.pinnedRope(config);
    if (pinned.isEmpty()) {
      throw parameters.asks(
          "rope_type",
          "\"%s\" rotates K by the length of the whole request, so no block can be shared; give the setting rope_pinned_length if the engine uses the one table of that length for all requests"
              .formatted(parameters.get("rope_type")),
          "rope_pinned_length");
    }
    parameters.json().put("pinned_length", (long) pinned.getAsInt());
  }
}
