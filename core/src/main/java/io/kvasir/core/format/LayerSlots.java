package io.kvasir.core.format;

import io.kvasir.api.format.GroupKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What each layer of a normalised configuration keeps, by the rules of its class. A class has
 * templates of slots by type of layer, in which sizes are {@link Expression}s; a name that {@code
 * divides} must be a multiple of the ranks, which are {@code tensor_parallel} there.
 *
 * @param tp ranks over which states are cut
 */
record LayerSlots(Fields config, ModelClass model, int tp) {
  private static final long MOST_STATE = 1L << 40;
  private static final List<String> SIZES = List.of("heads", "k", "v", "ratio");
  private static final List<String> STATE_SIZES = List.of("groups", "conv", "ssm");
  private static final Map<String, String> USUAL =
      Map.of("heads", "num_key_value_heads", "k", "head_dim", "v", "head_dim");

  /** {@return the slots of each layer} */
  static List<List<Slot>> of(Fields config, ModelClass model, int tp) {
    LayerSlots slots = new LayerSlots(config.with("tensor_parallel", (long) tp), model, tp);
    List<?> types = config.list("layer_types");
    String shared = model.rule("shared_last"); // layers at the end read what others keep
    int owners =
        shared == null || config.isNull(shared)
            ? types.size()
            : types.size() - config.integer(shared, 0, types.size() - 1);
    List<List<Slot>> out = new ArrayList<>();
    for (int i = 0; i < types.size(); i++) {
      out.add(i < owners ? slots.of(i, (String) types.get(i)) : List.of());
    }
    if (out.stream().allMatch(List::isEmpty)) {
      throw config.error("layer_types", "has no layer that keeps anything");
    }
    return out;
  }

  private List<Slot> of(int layer, String type) {
    Object templates = model.table("kv").getOrDefault(type, Tables.of(Tables.LAYERS).get(type));
    String window = model.rule("switch");
    if (window != null && type.equals("sliding_attention") && !config.flag(window)) {
      throw config.error("layer_types", "holds \"%s\", but %s is false", type, window);
    }
    String perLayer = model.rule("per_layer");
    Fields own = perLayer == null ? config : config.with("layer", config.list(perLayer).get(layer));
    List<Slot> out = new ArrayList<>();
    for (Rules template : Rules.each(templates)) {
      boolean applies =
          template.table("where").entrySet().stream()
              .allMatch(e -> e.getValue().equals(config.list(e.getKey()).get(layer)));
      if (applies) {
        out.add(slot(template, own));
      }
    }
    return out;
  }

  private Slot slot(Rules template, Fields own) {
    GroupKind kind = GroupKind.named(template.rule("kind", "full")).orElseThrow();
    boolean state = kind == GroupKind.STATE;
    Map<String, Long> sizes = new TreeMap<>();
    String window = template.rule("window");
    if (window != null) {
      if (hides(window, kind)) {
        sizes.put("window", (long) own.integer(window, 1, Integer.MAX_VALUE));
      } else {
        kind = GroupKind.FULL;
      }
    }
    for (String name : state ? STATE_SIZES : SIZES) {
      String expression = template.rule(name, USUAL.get(name));
      if (expression != null) {
        int least = List.of("v", "conv", "ssm").contains(name) ? 0 : 1;
        sizes.put(
            name, size(expression, own, least, state ? MOST_STATE : NormalConfig.MOST_DIMENSION));
      }
    }
    for (String name : template.names("divides")) {
      if (Expression.number(name, own, name) % tp != 0) {
        throw own.error(Expression.target(name), "is not divisible by the %d ranks", tp);
      }
    }
    String dtype = template.rule("ssm_dtype");
    boolean named = dtype != null && !dtype.startsWith("float");
    return new Slot(kind, sizes, !named ? dtype : own.isNull(dtype) ? null : own.text(dtype));
  }

  private static long size(String expression, Fields config, int least, long most) {
    if (config.has(expression)) {
      return config.integer(expression, least, NormalConfig.MOST_DIMENSION);
    }
    String target = Expression.target(expression);
    long value = Expression.number(expression, config, target);
    if (value < least || value > most) {
      throw config.error(
          target,
          "makes %s %d, which is no whole number from %d to %d",
          expression,
          value,
          least,
          most);
    }
    return value;
  }

  /** {@return whether a window hides any token that the model can see} */
  private boolean hides(String window, GroupKind kind) {
    if (config.isNull(window)) {
      if (kind == GroupKind.CHUNKED) {
        return false;
      }
      throw config.error(window, "null, but layers slide; give the tokens of the window");
    }
    double positions =
        config.integer("max_position_embeddings", 1, Integer.MAX_VALUE) * Rope.reach(config);
    return config.integer(window, 1, Integer.MAX_VALUE) < positions;
  }
}
