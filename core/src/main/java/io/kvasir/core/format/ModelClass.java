package io.kvasir.core.format;

import io.kvasir.api.format.FormatException;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The rules of a model class, as {@code classes.json} has them.
 *
 * @param type the model type
 * @param rules its entry
 */
record ModelClass(String type, Map<String, Object> rules) {
  /**
   * {@return the class of a configuration}
   *
   * @throws FormatException by name, if it is none of the table, or if its code comes with the
   *     model
   */
  static ModelClass of(Fields config) {
    String type = config.text("model_type");
    Object rules = Tables.CLASSES.get(type);
    if (rules == null || !Tables.object(rules).containsKey("architectures")) {
      boolean remote = config.has("auto_map");
      throw config.error(
          "model_type",
          "\"%s\" is none of the classes that are understood%s (%s); declare the whole format with the resolver \"explicit\""
              .formatted(type, remote ? ", and its code comes with the model" : "", known()));
    }
    ModelClass found = new ModelClass(type, Tables.object(rules));
    found.checkArchitectures(config);
    found.checkCode(config);
    return found;
  }

  /** {@return the class with this name, which stands in the table} */
  static ModelClass named(String type) {
    return new ModelClass(type, Tables.object(Objects.requireNonNull(Tables.CLASSES.get(type))));
  }

  private static String known() {
    return String.join(
        ", ",
        Tables.CLASSES.entrySet().stream()
            .filter(e -> Tables.object(e.getValue()).containsKey("architectures"))
            .map(Map.Entry::getKey)
            .sorted(Comparator.naturalOrder())
            .toList());
  }

  String rule(String name) {
    return (String) rules.get(name);
  }

  Map<String, Object> table(String name) {
    Object table = rules.get(name);
    return table == null ? Map.of() : Tables.object(table);
  }

  List<String> names(String name) {
    return Tables.strings(rules.get(name));
  }

  boolean latent() {
    return "latent".equals(rules.get("attention"));
  }

  private void checkArchitectures(Fields config) {
    if (config.isNull("architectures")) {
      return;
    }
    List<String> known = names("architectures");
    for (Object architecture : config.list("architectures")) {
      if (!known.contains(architecture)) {
        throw config.error(
            "architectures",
            "%s is no architecture of the class %s (%s); declare the format with the resolver \"explicit\""
                .formatted(Fields.show(architecture), type, String.join(", ", known)));
      }
    }
  }

  /**
   * Code that comes with a model may do anything, unless it is the class's own, as first published.
   */
  private void checkCode(Fields config) {
    if (config.isNull("auto_map")) {
      return;
    }
    for (Object code : config.object("auto_map").json().values()) {
      String module = code instanceof String s && s.contains(".") ? s.split("\\.", 2)[0] : "";
      if (!names("remote_code").contains(module)) {
        throw config.error(
            "auto_map",
            "%s is code that comes with the model and is not that of the class %s; declare the format with the resolver \"explicit\""
                .formatted(Fields.show(code), type));
      }
    }
  }
}
