package io.kvasir.core.format;

import io.kvasir.api.format.GroupKind;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * Which layers of a model keep every token and which slide, by the rule of its class. The dozen
 * spellings of a pattern become one list, {@code layer_types}.
 */
final class LayerKinds {
  private static final String FULL = "full_attention";
  private static final String SLIDING = "sliding_attention";

  private final Fields config;
  private final ModelClass model;
  private final int layers;

  private LayerKinds(Fields config, ModelClass model) {
    this.config = config;
    this.model = model;
    this.layers = config.integer("num_hidden_layers", 1, NormalConfig.MOST_LAYERS);
  }

  /**
   * {@return the kind of each layer}; the names of the pattern in a normalised configuration are
   * replaced by {@code layer_types} where the class has them
   */
  static List<GroupKind> of(Fields config, ModelClass model) {
    return new LayerKinds(config, model).kinds();
  }

  private List<GroupKind> kinds() {
    if (model.latent()) {
      return Collections.nCopies(layers, GroupKind.MLA);
    }
    List<String> types =
        switch (model.rule("layers")) {
          case "full" -> agreed(all(FULL));
          case "window" -> agreed(all(slides() ? SLIDING : FULL));
          case "window_off" -> agreed(off());
          case "window_from_layer" -> fromLayer();
          default -> every();
        };
    return types.stream()
        .map(t -> t.equals(SLIDING) && slides() ? GroupKind.SLIDING : GroupKind.FULL)
        .toList();
  }

  private List<String> all(String type) {
    return Collections.nCopies(layers, type);
  }

  /** {@return whether a window hides any token that the model can see} */
  private boolean slides() {
    if (config.isNull("sliding_window")) {
      return false;
    }
    int window = config.integer("sliding_window", 1, Integer.MAX_VALUE);
    double positions =
        config.integer("max_position_embeddings", 1, Integer.MAX_VALUE) * Rope.reach(config.json());
    return window < positions;
  }

  /** Two libraries read a list in such a class in two ways: it may only repeat the class's rule. */
  private List<String> agreed(List<String> derived) {
    if (!config.isNull("layer_types")) {
      List<String> listed = listed();
      boolean same =
          slides() ? listed.equals(derived) : derived.equals(all(FULL)); // no window: all are full
      if (!same) {
        throw config.error(
            "layer_types",
            "is not what the class %s does with its layers, and engines differ in which they follow; declare the format with the resolver \"explicit\""
                .formatted(model.type()));
      }
    }
    return derived;
  }

  private List<String> off() {
    if (config.flag("use_sliding_window")) {
      throw config.error(
          "use_sliding_window",
          "true, but engines differ in which layers of the class %s slide; declare the format with the resolver \"explicit\""
              .formatted(model.type()));
    }
    return all(FULL);
  }

  private List<String> fromLayer() {
    boolean on = config.flag("use_sliding_window") && !config.isNull("sliding_window");
    int first = on ? config.integer("max_window_layers", 0, Integer.MAX_VALUE) : layers;
    List<String> types = new ArrayList<>();
    for (int i = 0; i < layers; i++) {
      types.add(i < first ? FULL : SLIDING);
    }
    return types(types, on);
  }

  private List<String> every() {
    Optional<Integer> given = takePattern();
    int n = given.orElseGet(() -> ((Number) model.rules().get("full_every")).intValue());
    List<String> types = new ArrayList<>();
    for (int i = 0; i < layers; i++) {
      types.add((i + 1) % n == 0 ? FULL : SLIDING);
    }
    if (given.isPresent() && !config.isNull("layer_types") && !listed().equals(types)) {
      throw config.error(
          "layer_types",
          "contradicts a full layer every %d; keep the one that is in force".formatted(n));
    }
    if (config.isNull("sliding_window")) {
      throw config.error("sliding_window", "null, but layers slide; give the tokens of the window");
    }
    return types(types, true);
  }

  /** Takes the pattern's number out, under whichever name. */
  private Optional<Integer> takePattern() {
    Optional<Integer> found = Optional.empty();
    for (String name : model.names("full_every_names")) {
      if (!config.isNull(name)) {
        int value = config.integer(name, 1, Integer.MAX_VALUE);
        if (found.isPresent() && found.get() != value) {
          throw config.error(name, "%d contradicts %d".formatted(value, found.get()));
        }
        found = Optional.of(value);
      }
      config.json().remove(name);
    }
    return found;
  }

  /** {@return the list of the file if there is one, else the derived; it stands in the file now} */
  private List<String> types(List<String> derived, boolean maySlide) {
    List<String> types = config.isNull("layer_types") ? derived : listed();
    if (!maySlide && types.contains(SLIDING)) {
      throw config.error(
          "layer_types", "holds \"sliding_attention\", but the sliding window is off");
    }
    config.json().put("layer_types", types);
    return types;
  }

  private List<String> listed() {
    List<?> list = config.list("layer_types");
    if (list.size() != layers) {
      throw config.error(
          "layer_types",
          "has %d entries, but num_hidden_layers is %d".formatted(list.size(), layers));
    }
    List<String> types = new ArrayList<>();
    for (Object type : list) {
      if (!FULL.equals(type) && !SLIDING.equals(type)) {
        throw config.error(
            "layer_types",
            "%s is no kind of layer of the class %s (full_attention, sliding_attention); declare the format with the resolver \"explicit\""
                .formatted(Fields.show(type), model.type()));
      }
      types.add((String) type);
    }
    return types;
  }
}
