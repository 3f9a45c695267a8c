package io.kvasir.core.format;

import io.kvasir.api.format.FormatException;
import io.kvasir.api.identity.CanonicalJson;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;

/** An object of a file or of the settings, with its place, so that an error can name a field. */
final class Fields {
  private static final int LONGEST_TEXT = 256;

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

  boolean has(String name) {
    return json.containsKey(name);
  }

  /** {@return the value; null where the name is absent or null} */
  Object get(String name) {
    return json.get(name);
  }

  /** Gives each name that is absent its default. A null that stands there is a value. */
  void fill(Map<String, Object> defaults) {
    defaults.forEach(
        (name, value) -> {
          if (!has(name)) {
            json.put(name, value);
          }
        });
  }

  boolean isNull(String name) {
    return json.get(name) == null;
  }

  Fields object(String name) {
    if (get(name) instanceof Map<?, ?> map) {
      return new Fields(place + name + ".", Tables.object(map));
    }
    throw wrong(name, "an object");
  }

  List<?> list(String name) {
    if (get(name) instanceof List<?> list) {
      return list;
    }
    throw wrong(name, "an array");
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

  FormatException error(String name, String message) {
    return new FormatException(at(name) + ": " + message);
  }

  FormatException wrong(String name, String right) {
    return error(name, has(name) ? show(get(name)) + " is not " + right : "missing; give " + right);
  }

  static String show(Object value) {
    String text =
        switch (value) {
          case BigDecimal d when Math.abs((long) d.scale()) > 400 -> "a number out of range";
          case null -> "null";
          case Map<?, ?> _ -> "an object";
          case List<?> l when l.size() > 8 -> "an array of " + l.size();
          case Object o -> CanonicalJson.text(o);
        };
    return text.length() > 80 ? text.substring(0, 80) + "…" : text;
  }

  /** {@return whether two values are one, however numbers are written} */
  static boolean same(Object a, Object b) {
    return CanonicalJson.text(a).equals(CanonicalJson.text(b));
  }
}
