package io.kvasir.core.config;

import io.kvasir.api.KvasirException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A value of a configuration with its place, so that an error can name it.
 *
 * @param file the file as the operator wrote it
 * @param directory where relative paths start
 * @param key dotted names from the root; empty for the root
 * @param json the value: {@code null}, Boolean, Number, String, List or Map
 */
public record ConfigValue(String file, Path directory, String key, Object json) {
  /** {@return the error that this value is; the message says what is wrong and what is right} */
  public KvasirException error(String message) {
    return new KvasirException(place() + ": " + message);
  }

  /** {@return the same with what caused it} */
  public KvasirException error(String message, Throwable cause) {
    return new KvasirException(place() + ": " + message, cause);
  }

  /** {@return the error of a value of the wrong kind, as in {@code "ten" is not a size; …}} */
  KvasirException isNot(String kind, String wayOut) {
    return error("%s is not %s; %s".formatted(shown(), kind, wayOut));
  }

  /** {@return the value as an object whose keys are taken one by one} */
  public Section section() {
    if (json instanceof Map<?, ?> map) {
      return new Section(this, map);
    }
    throw isNot("an object", "write { … }");
  }

  /** {@return the elements of a list, each with its place} */
  List<ConfigValue> elements() {
    if (!(json instanceof List<?> list)) {
      throw isNot("a list", "write [ … ]");
    }
    List<ConfigValue> out = new ArrayList<>();
    for (Object element : list) {
      out.add(new ConfigValue(file, directory, "%s[%d]".formatted(key, out.size()), element));
    }
    return out;
  }

  /** {@return the value as a text that is not blank} */
  public String text() {
    if (json instanceof String s && !s.isBlank()) {
      return s;
    }
    throw isNot("a text", "write one in quotes");
  }

  ConfigValue child(String name, Object value) {
    return new ConfigValue(file, directory, key.isEmpty() ? name : key + "." + name, value);
  }

  /** {@return the value as an error shows it} */
  String shown() {
    return switch (json) {
      case String s -> "\"" + s + "\"";
      case Map<?, ?> _ -> "an object";
      case List<?> _ -> "a list";
      case null, default -> String.valueOf(json);
    };
  }

  private String place() {
    return key.isEmpty() ? file : file + ": " + key;
  }
}
