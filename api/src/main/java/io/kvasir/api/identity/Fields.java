package io.kvasir.api.identity;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Reads the names of one JSON object; what is missing, of the wrong type or left over is an error.
 */
final class Fields {
  private final String path;
  private final Map<String, Object> json;
  private final Set<String> seen = new HashSet<>();

  @SuppressWarnings("unchecked") // names of a JSON object are strings, and each value is checked
  Fields(String path, Object json) {
    if (!(json instanceof Map<?, ?>)) {
      throw new IdentityException(path + ": " + show(json) + " is not an object");
    }
    this.path = path;
    this.json = (Map<String, Object>) json;
  }

  boolean has(String name) {
    return json.containsKey(name);
  }

  Object any(String name) {
    if (!json.containsKey(name)) {
      throw new IdentityException(at(name) + ": missing; what does not apply is null");
    }
    seen.add(name);
    return json.get(name);
  }

  String text(String name) {
    if (any(name) instanceof String s) {
      return s;
    }
    throw wrong(name, "a string");
  }

  String textOrNull(String name) {
    return any(name) == null ? null : text(name);
  }

  boolean flag(String name) {
    if (any(name) instanceof Boolean b) {
      return b;
    }
    throw wrong(name, "true or false");
  }

  int integer(String name) {
    Integer value = integerOrNull(name);
    if (value == null) {
      throw wrong(name, "an integer");
    }
    return value;
  }

  Integer integerOrNull(String name) {
    Long value = longOrNull(name);
    if (value == null) {
      return null;
    }
    if (value.intValue() != value) {
      throw wrong(name, "a 32-bit integer");
    }
    return value.intValue();
  }

  Long longOrNull(String name) {
    Object value = any(name);
    if (value == null) {
      return null;
    }
    if (value instanceof Number n && n.doubleValue() == n.longValue()) {
      return n.longValue();
    }
    throw wrong(name, "an integer");
  }

  List<?> list(String name) {
    if (any(name) instanceof List<?> list) {
      return list;
    }
    throw wrong(name, "an array");
  }

  Fields object(String name) {
    return new Fields(at(name), any(name));
  }

  Map<String, Object> json() {
    return json;
  }

  String at(String name) {
    return path.isEmpty() ? name : path + "." + name;
  }

  /** Refuses the names that nobody asked for. */
  void end() {
    for (String name : json.keySet()) {
      if (!seen.contains(name)) {
        throw new IdentityException(at(name) + ": unknown name in a manifest");
      }
    }
  }

  IdentityException wrong(String name, String right) {
    return new IdentityException(at(name) + ": " + show(json.get(name)) + " is not " + right);
  }

  private static String show(Object value) {
    String text = value instanceof String s ? "\"" + s + "\"" : String.valueOf(value);
    return text.length() > 80 ? text.substring(0, 80) + "…" : text;
  }
}
