package io.kvasir.core.format;

import io.kvasir.api.format.GroupKind;
import java.util.ArrayList;
import java.util.List;

/**
 * What each layer of a normalised configuration keeps, by the rules of its class.
 *
 * @param tp ranks over which states are cut
 */
record LayerSlots(Fields config, ModelClass model, int tp) {
  /** {@return the slots of each layer} */
  static List<List<Slot>> of(Fields config, ModelClass model, int tp) {
    LayerSlots slots = new LayerSlots(config, model, tp);
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
        out.add(Slot.of(template, own, hides(template), tp));
      }
    }
    return out;
  }

  /** {@return whether a window hides any token that the model can see} */
  private boolean hides(Rules template) {
    String window = template.rule("window");
    if (window == null) {
      return false;
    }
    if (config.isNull(window)) {
      if (template.rule("kind").equals(GroupKind.CHUNKED.wireName())) {
        return false;
      }
      throw config.error(window, "null, but layers slide; give the tokens of the window");
    }
    double positions =
        config.integer("max_position_embeddings", 1, Integer.MAX_VALUE) * Rope.reach(config);
    return config.integer(window, 1, Integer.MAX_VALUE) < positions;
  }
}
