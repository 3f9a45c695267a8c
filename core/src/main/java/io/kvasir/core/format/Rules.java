package io.kvasir.core.format;

import java.util.List;
import java.util.Map;

/** An object of a table, of which everything may be left out. */
interface Rules {
  /** {@return the object} */
  Map<String, Object> rules();

  /** {@return a view of an object of a table} */
  static Rules of(Object json) {
    return () -> Tables.object(json);
  }

  /** {@return views of the objects of a list} */
  static List<Rules> each(Object json) {
    return ((List<?>) json).stream().map(Rules::of).toList();
  }

  default boolean flag(String name) {
    return rules().containsKey(name);
  }

  default String rule(String name) {
    return (String) rules().get(name);
  }

  default String rule(String name, String otherwise) {
    return (String) rules().getOrDefault(name, otherwise);
  }

  default Map<String, Object> table(String name) {
    return Tables.object(rules().getOrDefault(name, Map.of()));
  }

  default List<String> names(String name) {
    return Tables.strings(rules().get(name));
  }
}
