package io.kvasir.core.format;

import io.kvasir.api.format.FormatException;
import io.kvasir.api.identity.CanonicalJson;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
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

  /** {@return this with one more field} */
  Fields with(String name, Object value) {
    Map<String, Object> more = new LinkedHashMap<>(json);
    more.put(name, value);
    return new Fields(place, more);
  }

  boolean has(String name) {
    return json.containsKey(name);
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
    defaults.forEach(
        (name, value) -> {
          if (!has(name)) {
            json.put(name, value);
          } else if (value instanceof Map<?, ?> inner && get(name) instanceof Map<?, ?> own) {
            Fields copy = new Fields(at(name) + ".", new LinkedHashMap<>(Tables.object(own)));
            copy.fill(Tables.object(inner));
            json.put(name, copy.json());
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

  /** {@return the array at a path with dots into objects} */
  List<?> listAt(String path) {
    if (path(path) instanceof List<?> list) {
      return list;
    }
    throw error(
        path,
        path(path) == null ? "missing; give an array" : show(path(path)) + " is not an array");
  }

  /** Puts a value at a path with dots into objects. */
  void put(String path, Object value) {
    int dot = path.indexOf('.');
    if (dot < 0) {
      json.put(path, value);
      return;
    }
    Object inner = get(path.substring(0, dot));
    Map<String, Object> copy =
        new LinkedHashMap<>(inner instanceof Map<?, ?> m ? Tables.object(m) : Map.of());
    new Fields("", copy).put(path.substring(dot + 1), value);
    json.put(path.substring(0, dot), copy);
  }

  /** Takes the value at a path with dots into objects out, and an object that is empty then. */
  void remove(String path) {
    int dot = path.indexOf('.');
    if (dot < 0) {
      json.remove(path);
    } else if (get(path.substring(0, dot)) instanceof Map<?, ?> inner) {
      Map<String, Object> copy = new LinkedHashMap<>(Tables.object(inner));
      new Fields("", copy).remove(path.substring(dot + 1));
      json.put(path.substring(0, dot), copy);
      json.remove(copy.isEmpty() ? path.substring(0, dot) : "");
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

  FormatException error(String name, String message) {
    return new FormatException(at(name) + ": " + message);
  }

  /** {@return the error that a setting is missing which the engine alone can give} */
  FormatException asks(String name, String message, String setting) {
    return FormatException.missing(setting, at(name) + ": " + message);
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
    return cut(text);
  }

  static String cut(String text) {
    return text.length() > 80 ? text.substring(0, 80) + "…" : text;
  }

  /** {@return whether two values are one, however numbers are written} */
  static boolean same(Object a, Object b) {
    return CanonicalJson.text(a).equals(CanonicalJson.text(b));
  }
}
