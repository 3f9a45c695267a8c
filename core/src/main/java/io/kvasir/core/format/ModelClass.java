package io.kvasir.core.format;

import io.kvasir.api.format.FormatException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * The rules of a model class, as the files in {@code classes} have them.
 *
 * @param type the model type
 * @param rules its entry, with those of the class that it is {@code like}
 */
record ModelClass(String type, Map<String, Object> rules) implements Rules {
  /** Why a block of some models would be right under no name. */
  static final String IMPURE =
      "%s %s: its K and V depend on more than the tokens before them, so no block of it can be"
          + " shared";

  /** Parts of a checkpoint whose code says nothing about K and V. */
  private static final List<String> OTHER_CODE =
      List.of("AutoTokenizer", "AutoProcessor", "AutoImageProcessor", "AutoFeatureExtractor");

  /**
   * {@return the class of a configuration}
   *
   * @throws FormatException by name, if it is none of the tables, or if its code comes with the
   *     model
   */
  static ModelClass of(Fields config) {
    String type = config.text("model_type");
    Object impure = Tables.of(Tables.IMPURE).get(type);
    if (impure != null) {
      throw config.error("model_type", IMPURE, "\"" + type + "\" is", impure);
    }
    ModelClass found = named(type);
    if (found == null || found.part()) {
      throw config.error(
          "model_type",
          "\"%s\" is none of the classes that are understood%s (%s); declare the whole format with"
              + " the resolver \"explicit\"",
          Fields.cut(type),
          Tables.of(Tables.COMMON, "not_described")
              .getOrDefault(
                  type, config.has("auto_map") ? ", and its code comes with the model" : ""),
          known());
    }
    found.check(config);
    return found;
  }

  /** {@return the class of a part of a model: the first of those that it may have unless named} */
  static ModelClass part(Fields part, List<String> known) {
    part.json().putIfAbsent("model_type", known.getFirst());
    String type = part.text("model_type");
    if (!known.contains(type)) {
      throw part.beyond("model_type", "%s is not %s", Fields.show(type), String.join(", ", known));
    }
    return named(type);
  }

  /** {@return the class with this name; null if there is none} */
  static ModelClass named(String type) {
    Map<String, Object> own = Tables.rules(type);
    if (own == null || !own.containsKey("like")) {
      return own == null ? null : new ModelClass(type, own);
    }
    ModelClass like = named((String) own.get("like"));
    Map<String, Object> rules = new LinkedHashMap<>(like.rules());
    rules.putAll(own);
    Map<String, Object> defaults = new LinkedHashMap<>(like.table("defaults"));
    defaults.putAll(Rules.of(own).table("defaults"));
    rules.put("defaults", defaults);
    return new ModelClass((String) own.getOrDefault("is", type), rules);
  }

  private static String known() {
    return String.join(
        ", ", new TreeSet<>(Tables.types()).stream().filter(t -> !named(t).part()).toList());
  }

  /** {@return whether this is a part of models alone, such as their vision} */
  private boolean part() {
    return !flag("architectures");
  }

  /**
   * Refuses an architecture that is not the class's, and code that comes with a model: it may do
   * anything, unless it is the class's own, as first published.
   */
  void check(Fields config) {
    List<String> known = names("architectures");
    for (Object own : config.isNull("architectures") ? List.of() : config.list("architectures")) {
      if (!known.contains(own)) {
        throw config.beyond(
            "architectures",
            "%s is no architecture of the class %s (%s)",
            Fields.show(own),
            type,
            String.join(", ", known));
      }
    }
    for (Map.Entry<String, Object> part : config.optional("auto_map").json().entrySet()) {
      String code = part.getValue() instanceof String s ? s : "";
      String module = code.substring(0, Math.max(0, code.indexOf('.')));
      if (!OTHER_CODE.contains(part.getKey()) && !names("remote_code").contains(module)) {
        throw config.beyond(
            "auto_map",
            "%s is code that comes with the model and is not that of the class %s",
            Fields.show(part.getValue()),
            type);
      }
    }
  }
}
