package io.kvasir.core.format;

import io.kvasir.api.format.GroupKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What each layer of a normalised configuration keeps, by the rules of its class. */
final class LayerSlots {
  private final Fields config;
  private final ModelClass model;
  private final int tp;

  private LayerSlots(Fields config, ModelClass model, int tp) {
    this.config = config;
    this.model = model;
    this.tp = tp;
  }

  /**
   * {@return the slots of each layer}
   *
   * @param tp ranks over which states are cut
   */
  static List<List<Slot>> of(Fields config, ModelClass model, int tp) {
    LayerSlots slots = new LayerSlots(config, model, tp);
    List<?> types = config.list("layer_types");
    int owners = types.size() - slots.shared(types.size());
    List<List<Slot>> out = new ArrayList<>();
    for (int i = 0; i < types.size(); i++) {
      out.add(i < owners ? slots.of(i, (String) types.get(i)) : List.of());
    }
    if (out.stream().allMatch(List::isEmpty)) {
      throw config.error("layer_types", "has no layer that keeps anything");
    }
    return out;
  }

  /** {@return how many layers at the end read what others keep} */
  private int shared(int layers) {
    String name = model.rule("shared_last");
    return name == null || config.isNull(name) ? 0 : config.integer(name, 0, layers - 1);
  }

  private List<Slot> of(int layer, String type) {
    Object templates = model.table("kv").get(type);
    if (templates == null) {
      templates = Tables.of(Tables.LAYERS).get(type);
    }
    String window = model.rule("switch");
    if (window != null && type.equals("sliding_attention") && !config.flag(window)) {
      throw config.error("layer_types", "holds \"%s\", but %s is false".formatted(type, window));
    }
    List<Slot> out = new ArrayList<>();
    for (Object each : (List<?>) templates) {
      Map<String, Object> template = Tables.object(each);
      if (applies(layer, Tables.object(template.getOrDefault("where", Map.of())))) {
        out.add(Slot.of(template, ofLayer(layer), hides(template), tp));
      }
    }
    return out;
  }

  private Fields ofLayer(int layer) {
    String name = model.rule("per_layer");
    return name == null ? config : config.with("layer", config.list(name).get(layer));
  }

  private boolean applies(int layer, Map<String, Object> where) {
    return where.entrySet().stream()
        .allMatch(e -> e.getValue().equals(config.list(e.getKey()).get(layer)));
  }

  /** {@return whether a window hides any token that the model can see} */
  private boolean hides(Map<String, Object> template) {
    if (!(template.get("window") instanceof String window)) {
      return false;
    }
    if (config.isNull(window)) {
      if (template.get("kind").equals(GroupKind.CHUNKED.wireName())) {
        return false;
      }
      throw config.error(window, "null, but layers slide; give the tokens of the window");
    }
    double positions =
        config.integer("max_position_embeddings", 1, Integer.MAX_VALUE) * Rope.reach(config.json());
    return config.integer(window, 1, Integer.MAX_VALUE) < positions;
  }
}
