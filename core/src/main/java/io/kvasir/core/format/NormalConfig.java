package io.kvasir.core.format;

import io.kvasir.api.format.FormatException;
import io.kvasir.api.format.GroupKind;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A model's configuration in one spelling: class defaults filled in, old names replaced, cosmetic
 * names left out, and everything else as it stands.
 *
 * @param model the class of the language model
 * @param tree the whole configuration
 * @param text the language model's part of it, which may be all
 * @param layers what each layer keeps
 * @param dtype type of the checkpoint; null where the file names none
 */
record NormalConfig(
    ModelClass model,
    Map<String, Object> tree,
    Fields text,
    List<List<Slot>> layers,
    String dtype) {
  static final int MOST_LAYERS = 4096;
  static final int MOST_DIMENSION = 1 << 16;
  private static final String TEXT = "text_config";
  private static final String TYPES = "layer_types";

  /**
   * {@return the normalised configuration of a file}
   *
   * @param place what stands before a name in an error
   * @throws FormatException if the model's class is not understood, or a field is missing,
   *     contradicting or of the wrong type
   */
  static NormalConfig of(String place, Map<String, Object> file, Settings settings) {
    Fields root = new Fields(place, plain(file));
    ModelClass outer = ModelClass.of(root);
    Map<String, Object> parts = outer.table("parts");
    Fields text = root;
    ModelClass model = outer;
    String dtype = dtype(root, null);
    spelled(root, outer, parts.isEmpty());
    for (Map.Entry<String, Object> entry : parts.entrySet()) {
      if (entry.getKey().equals(TEXT)) {
        text = root.part(TEXT);
        model = ModelClass.part(text, Tables.strings(entry.getValue()));
        model.check(text);
        dtype = dtype(text, dtype);
        spelled(text, model, false);
      } else if (!root.isNull(entry.getKey())) {
        Fields part = root.part(entry.getKey());
        part.fill(ModelClass.part(part, Tables.strings(entry.getValue())).table("defaults"));
        String own = dtype(part, null);
        part.json().putAll(own == null || own.equals(dtype) ? Map.of() : Map.of("dtype", own));
      }
    }
    heads(text, model);
    Rope.normalize(text, model, settings);
    layerTypes(text, model);
    List<List<Slot>> layers = LayerSlots.of(text, model, settings.count("tensor_parallel"));
    if (dtype != null) {
      root.put("dtype", dtype);
    }
    return new NormalConfig(model, root.json(), text, layers, dtype);
  }

  /** {@return whether one vector stands for K and V of all heads} */
  boolean latent() {
    return layers.stream().flatMap(List::stream).anyMatch(s -> s.kind() == GroupKind.MLA);
  }

  /** {@return a copy without the names that say nothing, in the parts of a model too} */
  private static Map<String, Object> plain(Map<String, Object> json) {
    Map<String, Object> out = new LinkedHashMap<>(json);
    out.keySet().removeAll(Tables.COSMETIC);
    for (Map.Entry<String, Object> each : Tables.of(Tables.COMMON, "says_nothing").entrySet()) {
      Object said = out.get(each.getKey());
      if (said == null || Fields.same(said, each.getValue())) {
        out.remove(each.getKey());
      }
    }
    for (Map.Entry<String, Object> each : out.entrySet()) {
      String name = each.getKey();
      boolean part = name.endsWith("_config") && !name.startsWith("quant");
      if (part && each.getValue() instanceof Map<?, ?> inner) {
        each.setValue(plain(Tables.object(inner)));
      }
    }
    return out;
  }

  /**
   * Brings names, defaults and what follows from other fields into one spelling.
   *
   * @param whole a file of its own has what its class requires, a part of another may leave it out
   */
  private static void spelled(Fields config, ModelClass model, boolean whole) {
    rename(config, model);
    if (model.flag("count_layers") && config.isNull("num_hidden_layers")) {
      config.put("num_hidden_layers", LayerList.length(model.rules().get("layers"), config));
    }
    for (String name : whole ? model.names("required") : List.<String>of()) {
      if (config.isNull(name)) {
        throw config.error(
            name, "missing; no whole file of the class %s leaves it out", model.type());
      }
    }
    config.fill(model.table("defaults"));
    Map<String, Object> only = new LinkedHashMap<>(Tables.of(Tables.COMMON, "only"));
    only.putAll(model.table("only"));
    config.only(only);
    for (Map.Entry<String, Object> each : model.table("derive").entrySet()) {
      String name = each.getKey();
      Object byDefault = model.table("defaults").get(name);
      boolean left = "auto".equals(byDefault) && byDefault.equals(config.get(name));
      if (config.isNull(name) || left) {
        config.put(name, Expression.number((String) each.getValue(), config, name));
      }
    }
  }

  private static void rename(Fields config, ModelClass model) {
    config.put("model_type", model.type());
    for (Map.Entry<String, Object> each : model.table("names").entrySet()) {
      String old = each.getKey();
      String name = (String) each.getValue();
      Object value = config.path(old);
      Object now = config.path(name);
      if (value != null && now != null && !Fields.same(value, now)) {
        throw config.contradicts(old, value, name + " %s", now);
      }
      config.remove(old);
      if (value != null) {
        config.put(name, value);
      }
    }
  }

  private static void heads(Fields config, ModelClass model) {
    config.integer("hidden_size", 1, 1 << 24);
    int heads = config.integer("num_attention_heads", 1, MOST_DIMENSION);
    String name = "num_key_value_heads";
    if (model.table("defaults").containsKey(name) && !model.flag("per_layer")) {
      int kvHeads = config.integer(name, 1, MOST_DIMENSION);
      if (heads % kvHeads != 0) {
        throw config.error(name, "%d does not divide the %d attention heads", kvHeads, heads);
      }
    }
  }

  /** Puts {@code layer_types}, and the other lists by layer that a class derives, in. */
  private static void layerTypes(Fields config, ModelClass model) {
    for (Map.Entry<String, Object> each : model.table("derived_lists").entrySet()) {
      LayerList.normalize(each.getKey(), each.getValue(), config);
    }
    Object spellings = model.rules().get("layers");
    boolean own = spellings.toString().contains(TYPES);
    Fields other = config.with(TYPES, config.get(TYPES));
    if (!own) {
      config.remove(TYPES);
    }
    List<String> types = LayerList.normalize(TYPES, spellings, config);
    if (model.flag("last")) {
      types.set(types.size() - 1, model.rule("last"));
    }
    if (!own && !other.isNull(TYPES)) {
      agreed(config, other, model);
    }
  }

  /** Engines read a list in such a class in two ways: it may only repeat the class's rule. */
  private static void agreed(Fields config, Fields other, ModelClass model) {
    Map<String, Object> known = new LinkedHashMap<>();
    Tables.of(Tables.LAYERS).keySet().forEach(type -> known.put(type, type));
    LayerList.normalize(TYPES, List.of(Map.of("list", TYPES, "as", known)), other);
    if (!LayerSlots.of(config, model, 1).equals(LayerSlots.of(other, model, 1))) {
      throw other.beyond(
          TYPES,
          "is not what the class %s does with its layers, and engines differ in which they follow",
          model.type());
    }
  }

  /** Takes the dtype out, under either name and with or without {@code torch.} before it. */
  private static String dtype(Fields config, String ofWhole) {
    String found = ofWhole;
    for (String name : List.of("torch_dtype", "dtype")) {
      if (!config.isNull(name)) {
        String text = config.text(name);
        String own = text.startsWith("torch.") ? text.substring("torch.".length()) : text;
        if (found != null && !found.equals(own)) {
          throw config.contradicts("dtype", own, "%s", found);
        }
        found = own;
      }
      config.remove(name);
    }
    return found;
  }
}
