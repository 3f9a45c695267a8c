package io.kvasir.core.format;

import io.kvasir.api.format.FormatException;
import io.kvasir.api.identity.CanonicalJson;
import io.kvasir.api.identity.IdentityException;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** An object of a file or of the settings, with its place, so that an error can name a field. */
class Fields {
  private static final String EXPLICIT = "declare the format with the resolver \"explicit\"";
  private static final int LONGEST_TEXT = 256;
  private static final String OUT_OF_RANGE = "a number out of range";

  private final String place;
  private final Map<String, Object> json;

  /**
   * Creates a view.
   *
   * @param place what stands before a name in an error: {@code config.json: text_config.}
   * @param json the object, not copied
   */
  Fields(String place, Map<String, Object> json) {
    this.place = place;
    this.json = json;
  }

  Map<String, Object> json() {
    return json;
  }

  /** {@return a copy with one more field} */
  Fields with(String name, Object value) {
    Fields copy = new Fields(place, new LinkedHashMap<>(json));
    copy.json.put(name, value);
    return copy;
  }

  boolean has(String name) {
    return json.containsKey(name);
  }

  boolean isNull(String name) {
    return json.get(name) == null;
  }

  /** {@return the value; null where the name is absent or null} */
  Object get(String name) {
    return json.get(name);
  }

  /** {@return the value at a path with dots into objects; null where there is none} */
  Object path(String path) {
    int dot = path.indexOf('.');
    if (dot < 0) {
      return get(path);
    }
    return get(path.substring(0, dot)) instanceof Map<?, ?> inner
        ? new Fields("", Tables.object(inner)).path(path.substring(dot + 1))
        : null;
  }

  /** {@return a whole number that a size can be made of} */
  long whole(String name, Object value) {
    if (value instanceof Number n && n.doubleValue() == n.longValue() && n.longValue() >= 0) {
      return n.longValue();
    }
    throw error(
        name,
        value == null ? "missing; give a whole number" : show(value) + " is not a whole number");
  }

  /**
   * Gives each name that is absent its default, in objects too. A null that stands there is a
   * value.
   */
  void fill(Map<String, Object> defaults) {
    for (Map.Entry<String, Object> each : defaults.entrySet()) {
      String name = each.getKey();
      if (!has(name)) {
        json.put(name, each.getValue());
      } else if (each.getValue() instanceof Map<?, ?> inner && get(name) instanceof Map<?, ?>) {
        part(name).fill(Tables.object(inner));
      }
    }
  }

  /**
   * Refuses a value that is none of a rule's {@code values}, or is {@code never} one.
   *
   * @param rules by path: with the reason {@code because} and the {@code way} out, or with what the
   *     value makes of the model, whose blocks would then be right under no name: {@code impure}
   */
  void only(Map<String, Object> rules) {
    for (Map.Entry<String, Object> each : rules.entrySet()) {
      String name = each.getKey();
      Rules rule = Rules.of(each.getValue());
      String list = rule.flag("never") ? "never" : "values";
      boolean listed = false;
      for (Object value : (List<?>) rule.rules().get(list)) {
        listed |= canonical(value).equals(canonical(path(name)));
      }
      if (listed == list.equals("never")) {
        String shown = show(path(name));
        throw rule.flag("impure")
            ? error(name, ModelClass.IMPURE, shown + " makes the model", rule.rule("impure"))
            : error(
                name, "%s, but %s; %s", shown, rule.rule("because"), rule.rule("way", EXPLICIT));
      }
    }
  }

  Fields object(String name) {
    if (get(name) instanceof Map<?, ?>) {
      return entry(name + ".", get(name));
    }
    throw wrong(name, "an object");
  }

  /** {@return the object under a name; an empty one where there is none} */
  Fields optional(String name) {
    return isNull(name) ? new Fields(at(name) + ".", Map.of()) : object(name);
  }

  /** {@return the object under a name, replaced by a copy that may be changed} */
  Fields part(String name) {
    Fields copy = new Fields(at(name) + ".", new LinkedHashMap<>(object(name).json()));
    json.put(name, copy.json);
    return copy;
  }

  /**
   * {@return an object within this one}
   *
   * @param at where, as it stands before a name
   */
  Fields entry(String at, Object value) {
    if (value instanceof Map<?, ?>) {
      return new Fields(place + at, Tables.object(value));
    }
    throw error(at.substring(0, at.length() - 1), show(value) + " is not an object");
  }

  /** {@return the array at a path with dots into objects} */
  List<?> list(String path) {
    if (path(path) instanceof List<?> list) {
      return list;
    }
    throw wrong(path, "an array");
  }

  /** Puts a value at a path with dots into objects. */
  void put(String path, Object value) {
    int dot = path.indexOf('.');
    if (dot < 0) {
      json.put(path, value);
      return;
    }
    String name = path.substring(0, dot);
    if (!(get(name) instanceof Map<?, ?>)) {
      json.put(name, Map.of());
    }
    part(name).put(path.substring(dot + 1), value);
  }

  /** Takes the value at a path with dots into objects out, and an object that is empty then. */
  void remove(String path) {
    int dot = path.indexOf('.');
    String name = dot < 0 ? path : path.substring(0, dot);
    if (dot < 0) {
      json.remove(name);
    } else if (get(name) instanceof Map<?, ?>) {
      Fields inner = part(name);
      inner.remove(path.substring(dot + 1));
      json.remove(inner.json.isEmpty() ? name : "");
    }
  }

  String text(String name) {
    if (get(name) instanceof String s && !s.isBlank() && s.length() <= LONGEST_TEXT) {
      return s;
    }
    throw wrong(name, "a text");
  }

  boolean flag(String name) {
    if (get(name) instanceof Boolean b) {
      return b;
    }
    throw wrong(name, "true or false");
  }

  /** {@return a whole number, however it is written} */
  int integer(String name, int least, int most) {
    if (get(name) instanceof Number n) {
      double value = n.doubleValue();
      if (value == Math.rint(value) && value >= least && value <= most) {
        return (int) value;
      }
    }
    throw wrong(name, "a whole number from %d to %d".formatted(least, most));
  }

  /** {@return a finite number above 0} */
  double positive(String name) {
    if (get(name) instanceof Number n && n.doubleValue() > 0 && Double.isFinite(n.doubleValue())) {
      return n.doubleValue();
    }
    throw wrong(name, "a number above 0");
  }

  String at(String name) {
    return place + name;
  }

  @SuppressWarnings(
      "AnnotateFormatMethod") // its annotation is in a library that nothing else needs
  FormatException error(String name, String message, Object... values) {
    return new FormatException(
        at(name) + ": " + (values.length == 0 ? message : message.formatted(values)));
  }

  /** {@return the error that something is not understood, which one may declare instead} */
  FormatException beyond(String name, String message, Object... values) {
    return error(name, message + "; " + EXPLICIT, values);
  }

  /** {@return the error that a setting is missing which the engine alone can give} */
  FormatException asks(String setting, String name, String message, Object... values) {
    return FormatException.missing(setting, error(name, message, values).getMessage());
  }

  FormatException wrong(String name, String right) {
    Object value = path(name);
    return error(
        name,
        value != null || has(name) ? show(value) + " is not " + right : "missing; give " + right);
  }

  /**
   * {@return the error that a field says other than what says the same thing}
   *
   * @param other what else says it, with {@code %s} for its value
   */
  FormatException contradicts(String name, Object value, String other, Object theirs) {
    return error(
        name,
        "%s contradicts %s; keep the one that is in force",
        show(value),
        other.formatted(show(theirs)));
  }

  static String show(Object value) {
    String text =
        switch (value) {
          case BigDecimal d when Math.abs((long) d.scale()) > 400 -> OUT_OF_RANGE;
          case null -> "null";
          case Map<?, ?> _ -> "an object";
          case List<?> l when l.size() > 8 -> "an array of " + l.size();
          case Object o -> canonical(o);
        };
    return cut(text);
  }

  private static String canonical(Object value) {
    try {
      return CanonicalJson.text(value);
    } catch (IdentityException e) { // a number that only settings can have
      return OUT_OF_RANGE;
    }
  }

  static String cut(String text) {
    return text.length() > 80 ? text.substring(0, 80) + "…" : text;
  }

  /** {@return whether two values are one, however numbers are written} */
  static boolean same(Object a, Object b) {
    return CanonicalJson.text(a).equals(CanonicalJson.text(b));
  }
}
