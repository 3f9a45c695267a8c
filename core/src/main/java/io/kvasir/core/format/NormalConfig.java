package io.kvasir.core.format;

import io.kvasir.api.format.FormatException;
import io.kvasir.api.format.GroupKind;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A model's configuration in one spelling: class defaults filled in, old names replaced, cosmetic
 * names left out, and everything else as it stands.
 *
 * @param model the class of the language model
 * @param tree the whole configuration
 * @param text the language model's part of it, which may be all
 * @param layers what each layer keeps
 * @param dtype type of the checkpoint, where the file names one
 */
record NormalConfig(
    ModelClass model,
    Map<String, Object> tree,
    Fields text,
    List<List<Slot>> layers,
    Optional<String> dtype) {
  static final int MOST_LAYERS = 4096;
  static final int MOST_DIMENSION = 1 << 16;
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
    Purity.checkType(root);
    ModelClass outer = ModelClass.of(root);
    Purity.check(root, outer);
    Fields text = root;
    ModelClass model = outer;
    Optional<String> dtype = dtype(root);
    if (outer.flag("text")) {
      spelled(root, outer);
      text =
          new Fields(
              place + "text_config.", new LinkedHashMap<>(root.object("text_config").json()));
      root.json().put("text_config", text.json());
      model = textClass(text, outer);
      Purity.check(text, model);
      dtype = one(text, dtype(text), dtype);
      parts(root, outer, dtype);
    } else {
      whole(root, outer);
    }
    spelled(text, model);
    heads(text, model);
    Rope.normalize(text, model, settings);
    layerTypes(text, model);
    List<List<Slot>> layers = LayerSlots.of(text, model, settings.count("tensor_parallel", 1));
    dtype.ifPresent(d -> root.json().put("dtype", d));
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
    Tables.of(Tables.COMMON, "says_nothing")
        .forEach(
            (name, value) -> {
              if (out.containsKey(name)
                  && (out.get(name) == null || Fields.same(out.get(name), value))) {
                out.remove(name);
              }
            });
    out.replaceAll(
        (name, value) ->
            value instanceof Map<?, ?> part && name.endsWith("_config") && !name.startsWith("quant")
                ? plain(Tables.object(part))
                : value);
    return out;
  }

  private static ModelClass textClass(Fields text, ModelClass outer) {
    text.json().putIfAbsent("model_type", outer.rule("text"));
    String type = text.text("model_type");
    List<String> known = outer.flag("texts") ? outer.names("texts") : List.of(outer.rule("text"));
    if (!known.contains(type)) {
      throw text.error(
          "model_type",
          "%s is not %s; declare the format with the resolver \"explicit\""
              .formatted(Fields.show(type), String.join(", ", known)));
    }
    ModelClass.named(type).check(text);
    return ModelClass.named(type);
  }

  /** A file of its own has these, a part of another may leave out what its class has by default. */
  private static void whole(Fields config, ModelClass model) {
    rename(config, model);
    for (String name : model.names("required")) {
      boolean counted = name.equals("num_hidden_layers") && model.flag("count_layers");
      if (config.isNull(name) && !(counted && LayerList.length(model.list("layers"), config) > 0)) {
        throw config.error(
            name, "missing; no whole file of the class %s leaves it out".formatted(model.type()));
      }
    }
  }

  /** Brings names, defaults and what follows from other fields into one spelling. */
  private static void spelled(Fields config, ModelClass model) {
    rename(config, model);
    if (model.flag("count_layers") && config.isNull("num_hidden_layers")) {
      config.json().put("num_hidden_layers", (long) LayerList.length(model.list("layers"), config));
    }
    config.fill(model.table("defaults"));
    refuse(config, Tables.of(Tables.COMMON, "refused"));
    refuse(config, model.table("refused"));
    model
        .table("only")
        .forEach(
            (name, values) -> {
              if (!((List<?>) values).contains(config.path(name))) {
                throw config.error(
                    name,
                    "%s is not understood in the class %s; declare the format with the resolver \"explicit\""
                        .formatted(Fields.show(config.path(name)), model.type()));
              }
            });
    model
        .table("derive")
        .forEach(
            (name, expression) -> {
              Object byDefault = model.table("defaults").get(name);
              boolean left = "auto".equals(byDefault) && byDefault.equals(config.get(name));
              if (config.isNull(name) || left) {
                config.json().put(name, Expression.number((String) expression, config, name));
              }
            });
  }

  private static void rename(Fields config, ModelClass model) {
    config.json().put("model_type", model.type());
    model
        .table("names")
        .forEach(
            (old, name) -> {
              Object value = config.path(old);
              Object now = config.path((String) name);
              if (value != null && now != null && !Fields.same(value, now)) {
                throw config.error(
                    old,
                    "%s contradicts %s %s; keep the one that is in force"
                        .formatted(Fields.show(value), name, Fields.show(now)));
              }
              config.remove(old);
              if (value != null) {
                config.put((String) name, value);
              }
            });
  }

  private static void refuse(Fields config, Map<String, Object> reasons) {
    reasons.forEach(
        (name, why) -> {
          if (!config.isNull(name) && !Boolean.FALSE.equals(config.get(name))) {
            throw config.error(
                name,
                "%s, but %s; declare the format with the resolver \"explicit\""
                    .formatted(Fields.show(config.get(name)), why));
          }
        });
  }

  private static void heads(Fields config, ModelClass model) {
    config.integer("hidden_size", 1, 1 << 24);
    int heads = config.integer("num_attention_heads", 1, MOST_DIMENSION);
    boolean counted = model.table("defaults").containsKey("num_key_value_heads");
    if (!counted || model.flag("per_layer")) {
      return;
    }
    int kvHeads = config.integer("num_key_value_heads", 1, MOST_DIMENSION);
    if (heads % kvHeads != 0) {
      throw config.error(
          "num_key_value_heads",
          "%d does not divide the %d attention heads".formatted(kvHeads, heads));
    }
  }

  /** Puts {@code layer_types}, and the other lists by layer that a class derives, in. */
  private static void layerTypes(Fields config, ModelClass model) {
    model
        .table("derived_lists")
        .forEach((name, sources) -> LayerList.normalize(name, (List<?>) sources, config));
    boolean own = model.list("layers").toString().contains(TYPES);
    Fields other = new Fields(config.at(""), new LinkedHashMap<>(config.json()));
    if (!own) {
      config.remove(TYPES);
    }
    List<String> types = LayerList.normalize(TYPES, model.list("layers"), config);
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
      throw other.error(
          TYPES,
          "is not what the class %s does with its layers, and engines differ in which they follow; declare the format with the resolver \"explicit\""
              .formatted(model.type()));
    }
  }

  /** Other parts of a model, such as its vision: their class's defaults, and no dtype twice. */
  private static void parts(Fields root, ModelClass outer, Optional<String> dtype) {
    outer
        .table("parts")
        .forEach(
            (name, type) -> {
              if (root.isNull(name)) {
                return;
              }
              Fields part =
                  new Fields(root.at(name) + ".", new LinkedHashMap<>(root.object(name).json()));
              root.json().put(name, part.json());
              part.json().putIfAbsent("model_type", type);
              if (!part.text("model_type").equals(type)) {
                throw part.wrong("model_type", "\"" + type + "\"");
              }
              Optional<String> own = dtype(part);
              own.filter(d -> !own.equals(dtype)).ifPresent(d -> part.json().put("dtype", d));
              part.fill(ModelClass.named((String) type).table("defaults"));
            });
  }

  /** Takes the dtype out, under either name and with or without {@code torch.} before it. */
  private static Optional<String> dtype(Fields config) {
    Optional<String> now = dtype(config, "dtype");
    Optional<String> old = dtype(config, "torch_dtype");
    return one(config, now, old);
  }

  private static Optional<String> dtype(Fields config, String name) {
    if (config.isNull(name)) {
      config.json().remove(name);
      return Optional.empty();
    }
    String dtype = config.text(name);
    config.json().remove(name);
    return Optional.of(dtype.startsWith("torch.") ? dtype.substring("torch.".length()) : dtype);
  }

  private static Optional<String> one(Fields config, Optional<String> a, Optional<String> b) {
    if (a.isPresent() && b.isPresent() && !a.equals(b)) {
      throw config.error(
          "dtype",
          "\"%s\" contradicts \"%s\"; keep the one that is in force".formatted(a.get(), b.get()));
    }
    return a.or(() -> b);
  }
}
