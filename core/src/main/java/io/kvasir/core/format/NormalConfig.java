package io.kvasir.core.format;

import io.kvasir.api.format.FormatException;
import io.kvasir.api.format.GroupKind;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A model's configuration in one spelling: class defaults filled in, old names replaced, cosmetic
 * names left out, and everything else as it stands.
 *
 * @param model the class of the language model
 * @param tree the whole configuration
 * @param text the language model's part of it, which may be all
 * @param kinds the kind of each layer
 * @param dtype type of the checkpoint, where the file names one
 */
record NormalConfig(
    ModelClass model,
    Map<String, Object> tree,
    Fields text,
    List<GroupKind> kinds,
    Optional<String> dtype) {
  static final int MOST_LAYERS = 4096;
  private static final int MOST_HEADS = 1 << 14;
  private static final int MOST_DIMENSION = 1 << 16;
  private static final String PLACE = "config.json: ";

  /**
   * {@return the normalised configuration of a file}
   *
   * @throws FormatException if the model's class is not understood, or a field is missing,
   *     contradicting or of the wrong type
   */
  static NormalConfig of(Map<String, Object> file, OptionalInt pinnedRope) {
    Fields root = new Fields(PLACE, plain(file));
    Purity.check(root);
    ModelClass outer = ModelClass.of(root);
    root.fill(outer.table("defaults"));
    Fields text = root;
    ModelClass model = outer;
    Optional<String> dtype = dtype(root);
    if (outer.rules().containsKey("text")) {
      model = ModelClass.named(outer.rule("text"));
      text = new Fields(PLACE + "text_config.", plain(root.object("text_config").json()));
      root.json().put("text_config", text.json());
      Purity.check(text);
      checkType(text, model);
      dtype = one(text, dtype(text), dtype);
      parts(root, outer, dtype);
    }
    text.fill(model.table("defaults"));
    for (String name : model.names("required")) {
      if (text.isNull(name)) {
        throw text.error(
            name, "missing; no whole file of the class %s leaves it out".formatted(model.type()));
      }
    }
    heads(text, model);
    Rope.normalize(text, model, pinnedRope);
    List<GroupKind> kinds = LayerKinds.of(text, model);
    dtype.ifPresent(d -> root.json().put("dtype", d));
    return new NormalConfig(model, root.json(), text, kinds, dtype);
  }

  int kvHeads() {
    return model.latent() ? 1 : text.integer("num_key_value_heads", 1, MOST_HEADS);
  }

  /** {@return elements of one K head; of the one vector where attention is latent} */
  int kDim() {
    return model.latent()
        ? text.integer("kv_lora_rank", 1, MOST_DIMENSION)
            + text.integer("qk_rope_head_dim", 1, MOST_DIMENSION)
        : text.integer("head_dim", 1, MOST_DIMENSION);
  }

  int vDim() {
    return model.latent() ? 0 : kDim();
  }

  int window() {
    return text.integer("sliding_window", 1, Integer.MAX_VALUE);
  }

  /** {@return a copy without the cosmetic names} */
  private static Map<String, Object> plain(Map<String, Object> json) {
    Map<String, Object> out = new LinkedHashMap<>(json);
    out.keySet().removeAll(Tables.COSMETIC);
    return out;
  }

  private static void checkType(Fields text, ModelClass model) {
    text.json().putIfAbsent("model_type", model.type());
    if (!text.text("model_type").equals(model.type())) {
      throw text.error(
          "model_type",
          "%s is not %s; declare the format with the resolver \"explicit\""
              .formatted(Fields.show(text.get("model_type")), model.type()));
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
              Fields part = new Fields(root.at(name) + ".", plain(root.object(name).json()));
              root.json().put(name, part.json());
              ModelClass model = ModelClass.named((String) type);
              checkType(part, model);
              Optional<String> own = dtype(part);
              own.filter(d -> !own.equals(dtype)).ifPresent(d -> part.json().put("dtype", d));
              part.fill(model.table("defaults"));
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

  /** Fills the KV heads and the dimension of a head in, by the rule of the class. */
  private static void heads(Fields text, ModelClass model) {
    int heads = text.integer("num_attention_heads", 1, MOST_HEADS);
    int hidden = text.integer("hidden_size", 1, 1 << 24);
    Object kv = filled(text, model, "kv_heads", "num_key_value_heads");
    text.json().put("num_key_value_heads", kv.equals("heads") ? (Object) (long) heads : kv);
    int kvHeads = text.integer("num_key_value_heads", 1, MOST_HEADS);
    if (heads % kvHeads != 0) {
      throw text.error(
          "num_key_value_heads",
          "%d does not divide the %d attention heads".formatted(kvHeads, heads));
    }
    if (model.latent()) {
      return;
    }
    Object dim = filled(text, model, "head_dim", "head_dim");
    if (dim.equals("hidden/heads")) {
      if (hidden % heads != 0) {
        throw text.error(
            "hidden_size",
            "%d is not divisible by the %d attention heads; give head_dim"
                .formatted(hidden, heads));
      }
      dim = (long) (hidden / heads);
    }
    text.json().put("head_dim", dim);
  }

  private static Object filled(Fields text, ModelClass model, String rule, String name) {
    if (!text.isNull(name)) {
      return text.get(name);
    }
    Object byDefault = model.table(rule).get(text.has(name) ? "null" : "absent");
    if ("refused".equals(byDefault)) {
      throw text.error(
          name, "null is no value in the class %s; give the number".formatted(model.type()));
    }
    return byDefault;
  }
}
