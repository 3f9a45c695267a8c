package io.kvasir.core.format;

import io.kvasir.api.identity.CanonicalJson;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
  private static final String PARAMETERS = "rope_parameters";
  private static final String SCALING = "rope_scaling";
  private static final String PARTIAL = "partial_rotary_factor";

  private final Fields config;
  private final Rules rule;
  private final Settings settings;
  private final Map<String, Object> kinds;
  private final Map<String, Object> given;
  private final Map<String, Object> scaling;
  private final boolean nested;

  private Rope(Fields config, Rules rule, Settings settings) {
    this.config = config;
    this.rule = rule;
    this.settings = settings;
    this.kinds = rule.table("kinds");
    this.given = clean(config.optional(PARAMETERS));
    this.scaling = clean(config.optional(SCALING));
    this.nested = given.keySet().stream().anyMatch(kinds::containsKey);
  }

  /**
   * Replaces the names of RoPE in a configuration by {@code rope_parameters}, if its class has one.
   *
   * @param settings say of which length the engine uses the one table, where a type has many
   */
  static void normalize(Fields config, ModelClass model, Settings settings) {
    Rules rule = Rules.of(model.table("rope"));
    boolean off = rule.flag("off") && Boolean.TRUE.equals(config.get(rule.rule("off")));
    if (!rule.rules().isEmpty() && !off) {
      config.put(PARAMETERS, new Rope(config, rule, settings).normal());
    }
  }

  /** {@return the largest factor by which positions are stretched, at least 1} */
  static double reach(Fields config) {
    double most = 1;
    Map<String, Object> parameters = config.optional(PARAMETERS).json();
    List<Object> all = new ArrayList<>(parameters.values());
    all.add(parameters);
    for (Object each : all) {
      if (each instanceof Map<?, ?> kind && kind.get("factor") instanceof Number factor) {
        most = Math.max(most, factor.doubleValue());
      }
    }
    return most;
  }

  private Map<String, Object> normal() {
    refuseOthers();
    Map<String, Object> out = new TreeMap<>(nested ? given : Map.of());
    if (kinds.isEmpty()) {
      out.putAll(ofKind("", rule, true));
    }
    List<String> merged = new ArrayList<>(List.of("rope_theta", SCALING));
    for (Map.Entry<String, Object> kind : kinds.entrySet()) {
      Rules own = Rules.of(kind.getValue());
      out.put(kind.getKey(), ofKind(kind.getKey(), own, own.flag("scaled")));
      merged.add(thetaName(own));
    }
    if (rule.flag("partial_from")) {
      merged.add(rule.names("partial_from").getFirst());
    }
    for (String name : merged) {
      config.remove(name);
    }
    if (!nested || !CanonicalJson.text(given).contains(PARTIAL)) {
      config.remove(PARTIAL);
    }
    return out;
  }

  /** Refuses parameters of no kind of layers, and of all where each kind has its own. */
  private void refuseOthers() {
    for (Map.Entry<String, Object> own : given.entrySet()) {
      if (own.getValue() instanceof Map<?, ?> && !kinds.containsKey(own.getKey())) {
        throw config.error(
            PARAMETERS + "." + own.getKey(),
            kinds.isEmpty()
                ? "an object, but the class has one RoPE for all layers"
                : "is none of the kinds of layers that have a RoPE (%s)",
            String.join(", ", new TreeMap<>(kinds).keySet()));
      }
    }
    boolean apart = true;
    for (Object kind : kinds.values()) {
      apart &= !Rules.of(kind).flag("scaled");
    }
    boolean ofNoKind = !scaling.isEmpty() || (!nested && !given.isEmpty());
    if (!kinds.isEmpty() && apart && ofNoKind) {
      throw config.error(
          nested || given.isEmpty() ? SCALING : PARAMETERS,
          "is not by kind of layers, but the class has a RoPE for each; give rope_parameters.%s and"
              + " the others",
          kinds.keySet().iterator().next());
    }
  }

  private Map<String, Object> ofKind(String kind, Rules own, boolean scaled) {
    String place = PARAMETERS + "." + kind;
    Map<String, Object> p = new TreeMap<>();
    if (nested) {
      p.putAll(clean(config.entry(PARAMETERS + ".", given).object(kind)));
    } else if (scaled) {
      place = given.isEmpty() ? SCALING : PARAMETERS;
      p.putAll(given.isEmpty() ? scaling : given);
      p.putAll(p.isEmpty() ? rule.table("default") : Map.of());
    }
    if (scaled && !given.isEmpty()) {
      for (Map.Entry<String, Object> each : scaling.entrySet()) {
        agree(SCALING + "." + each.getKey(), each.getValue(), p.get(each.getKey()));
      }
    }
    merge(p, "rope_theta", thetaName(own));
    return complete(config.entry(place + ".", p), own);
  }

  private static String thetaName(Rules kind) {
    return kind.rule("theta_name", "rope_theta");
  }

  /** Null is absent, and {@code type} is the old name of {@code rope_type}. */
  private Map<String, Object> clean(Fields parameters) {
    Map<String, Object> out = new LinkedHashMap<>();
    for (Map.Entry<String, Object> each : parameters.json().entrySet()) {
      String own = each.getKey().equals("type") ? "rope_type" : each.getKey();
      Object old = each.getValue() == null ? null : out.putIfAbsent(own, each.getValue());
      if (old != null && !Fields.same(old, each.getValue())) {
        throw parameters.contradicts(own, old, "%s", each.getValue());
      }
    }
    if (out.get("rope_type") instanceof String type) {
      Object own = rule.table("types").getOrDefault(type, Tables.of(Tables.ROPE).get(type));
      out.put("rope_type", own instanceof String other ? other : type);
    }
    return out;
  }

  /** Moves a name from beside the parameters into them. */
  private void merge(Map<String, Object> parameters, String name, String beside) {
    if (!config.isNull(beside)) {
      parameters.putIfAbsent(name, config.get(beside));
      agree(beside, config.get(beside), parameters.get(name));
    }
  }

  private void agree(String name, Object value, Object inside) {
    if (!Fields.same(value, inside)) {
      throw config.contradicts(name, value, "%s in rope_parameters", inside);
    }
  }

  private Map<String, Object> complete(Fields fields, Rules own) {
    Map<String, Object> p = fields.json();
    partial(p, own);
    Object theta = own.rules().getOrDefault("theta", rule.rules().get("theta"));
    if (theta != null) {
      p.putIfAbsent("rope_theta", theta);
    }
    p.putIfAbsent("rope_type", own.rule("type", "default"));
    String name = fields.text("rope_type");
    Map<String, Object> types = Tables.of(Tables.ROPE);
    if (!types.containsKey(name)) {
      throw fields.beyond(
          "rope_type",
          "%s is none that is understood (%s)",
          Fields.show(name),
          String.join(", ", types.keySet()));
    }
    Rules type = Rules.of(types.get(name));
    if (rule.flag("original") && type.flag("original")) {
      merge(p, "original_max_position_embeddings", "original_max_position_embeddings");
    }
    fields.fill(own.table(name));
    fields.fill(type.table("defaults"));
    for (String required : type.names("required")) {
      if (fields.isNull(required)) {
        throw fields.error(required, "missing; a RoPE of type \"%s\" has no default for it", name);
      }
      if (!(p.get(required) instanceof List<?>)) {
        fields.positive(required);
      }
    }
    if (!p.containsKey("rope_theta")) {
      throw config.error("rope_theta", "missing; the class has no default for it");
    }
    fields.positive("rope_theta");
    fields.positive(PARTIAL);
    if (type.flag("by_length")) {
      p.put("pinned_length", settings.pinnedRope(config, fields));
    }
    return p;
  }

  /** The share of a head that is rotated, which some files say as a number of dimensions. */
  private void partial(Map<String, Object> p, Rules own) {
    if (kinds.isEmpty() || !p.containsKey(PARTIAL)) {
      merge(p, PARTIAL, PARTIAL);
    }
    List<String> from = rule.names("partial_from");
    if (!from.isEmpty() && !config.isNull(from.getFirst())) {
      String part = from.getFirst();
      double share = config.positive(part) / config.positive(from.getLast());
      p.putIfAbsent(PARTIAL, BigDecimal.valueOf(share));
      if (!(p.get(PARTIAL) instanceof Number n && n.doubleValue() == share)) {
        throw config.contradicts(part, config.get(part), PARTIAL + " %s", p.get(PARTIAL));
      }
    }
    p.putIfAbsent(
        PARTIAL, own.rules().getOrDefault("partial", rule.rules().getOrDefault("partial", 1L)));
  }
}
