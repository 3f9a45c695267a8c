package io.kvasir.core.format;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A list with one entry per layer, such as {@code layer_types}, from whichever spelling a file has.
 *
 * <p>A class lists its spellings, each an object with one of the names below. Those that the file
 * has must agree; if it has none, the first that can do without decides.
 *
 * <ul>
 *   <li>{@code list}: a list, its values as {@code as} has them; {@code more}: a field with the
 *       number of entries beyond the layers; {@code empty}: an empty list is an absent one
 *   <li>{@code chars}: a text with a character per layer
 *   <li>{@code places}: by value, the list of its layers, from {@code base}; {@code else}
 *   <li>{@code each}: a list of objects; the value of the first of {@code flags} whose path is
 *       neither null nor false; {@code else}
 *   <li>{@code modulo}: {@code at} where max(layer + {@code shift}, 0) mod it is {@code rest},
 *       {@code else}; {@code start}: the first entries
 *   <li>{@code first}: so many layers {@code before}, {@code then}
 *   <li>{@code all}: all layers; {@code when}: only if that field is set
 *   <li>{@code keep}: the spelling says more than this list and stays in the configuration
 * </ul>
 */
final class LayerList {
  private final String name;
  private final Fields config;
  private final int layers;

  private LayerList(String name, Fields config) {
    this.name = name;
    this.config = config;
    this.layers = config.integer("num_hidden_layers", 1, NormalConfig.MOST_LAYERS);
  }

  /** Puts the list into a configuration under its name and takes the other spellings out. */
  static List<String> normalize(String name, List<?> sources, Fields config) {
    LayerList list = new LayerList(name, config);
    List<String> found = null;
    String first = null;
    for (Object each : sources) {
      Map<String, Object> source = Tables.object(each);
      String field = present(source, config);
      if (field != null) {
        List<String> own = list.of(source);
        if (found != null && !found.equals(own)) {
          throw config.error(first, "contradicts " + field + "; keep the one that is in force");
        }
        first = found == null ? field : first;
        found = own;
      }
    }
    for (Object each : sources) {
      Map<String, Object> source = Tables.object(each);
      if (found == null && list.derivable(source)) {
        found = list.of(source);
      }
      if (!source.containsKey("keep")) {
        fields(source).forEach(config::remove);
      }
    }
    if (found == null) {
      throw config.wrong(name, "the kind of each layer");
    }
    config.json().put(name, found);
    return found;
  }

  /** {@return the length of the first list or text of a file; 0 if it has none} */
  static int length(List<?> sources, Fields config) {
    for (Object each : sources) {
      String field = present(Tables.object(each), config);
      if (field != null) {
        return config.path(field) instanceof List<?> l ? l.size() : config.text(field).length();
      }
    }
    return 0;
  }

  /** {@return the first field of the file that is this spelling; null if it has none} */
  private static String present(Map<String, Object> source, Fields config) {
    for (String field : fields(source)) {
      Object value = config.path(field);
      if (value != null && !(source.containsKey("empty") && List.of().equals(value))) {
        return field;
      }
    }
    return null;
  }

  private static List<String> fields(Map<String, Object> source) {
    List<String> out = new ArrayList<>();
    for (String key : List.of("list", "chars", "each", "modulo", "rest", "shift")) {
      out.addAll(Expression.names((String) source.getOrDefault(key, "")));
    }
    Tables.object(source.getOrDefault("places", Map.of()))
        .values()
        .forEach(p -> out.add((String) p));
    return out;
  }

  private boolean derivable(Map<String, Object> source) {
    Object when = source.containsKey("when") ? config.path((String) source.get("when")) : true;
    boolean set = when != null && !when.equals(false) && !when.equals(0L);
    return set
        && (source.containsKey("modulo")
            || source.containsKey("first")
            || source.containsKey("all"));
  }

  private List<String> of(Map<String, Object> source) {
    List<String> out = new ArrayList<>();
    if (source.containsKey("list")) {
      listed((String) source.get("list"), source, out);
    } else if (source.containsKey("chars")) {
      String field = (String) source.get("chars");
      config
          .text(field)
          .codePoints()
          .forEach(c -> out.add(as(field, Character.toString(c), source)));
      sized(field, out.size(), layers);
    } else if (source.containsKey("places")) {
      return places(source);
    } else if (source.containsKey("each")) {
      String field = (String) source.get("each");
      List<?> list = config.list(field);
      sized(field, list.size(), layers);
      list.forEach(e -> out.add(flagged(field, e, source)));
    } else {
      for (int i = 0; i < layers; i++) {
        out.add(ruled(i, source));
      }
    }
    return out;
  }

  private void listed(String field, Map<String, Object> source, List<String> out) {
    List<?> list = config.list(field);
    Object more = source.containsKey("more") ? config.path((String) source.get("more")) : null;
    int beyond =
        more != null && list.size() != layers
            ? (int) config.whole((String) source.get("more"), more)
            : 0;
    sized(field, list.size(), layers + beyond);
    for (Object value : list.subList(0, layers)) {
      out.add(as(field, value instanceof String s ? s : Fields.show(value), source));
    }
  }

  private void sized(String field, int size, int right) {
    if (size != right) {
      throw config.error(
          field, "has %d entries, but num_hidden_layers is %d".formatted(size, layers));
    }
  }

  private String as(String field, String value, Map<String, Object> source) {
    Map<String, Object> as = Tables.object(source.get("as"));
    if (as.get(value) instanceof String meaning) {
      return meaning;
    }
    throw config.error(
        field,
        "\"%s\" is no kind of layer of the class %s (%s); declare the format with the resolver \"explicit\""
            .formatted(
                Fields.cut(value), config.get("model_type"), String.join(", ", as.keySet())));
  }

  private List<String> places(Map<String, Object> source) {
    List<String> out = new ArrayList<>(Collections.nCopies(layers, (String) source.get("else")));
    int base = Integer.parseInt((String) source.getOrDefault("base", "0"));
    Set<Integer> taken = new java.util.HashSet<>();
    Tables.object(source.get("places"))
        .forEach(
            (kind, field) -> {
              for (Object place : config.listAt((String) field)) {
                long i = config.whole((String) field, place) - base;
                if (i < 0 || i >= layers || !taken.add((int) i)) {
                  throw config.error(
                      (String) field,
                      "%s is none of the %d layers, counted from %d, or stands twice"
                          .formatted(Fields.show(place), layers, base));
                }
                out.set((int) i, kind);
              }
            });
    if (out.contains(null)) {
      throw config.error(
          present(source, config), "says nothing of layer %d".formatted(out.indexOf(null) + base));
    }
    return out;
  }

  private String flagged(String field, Object each, Map<String, Object> source) {
    if (!(each instanceof Map<?, ?> map)) {
      throw config.error(field, Fields.show(each) + " is not an object");
    }
    Fields entry = new Fields(config.at(field) + "[].", Tables.object(map));
    for (Map.Entry<String, Object> flag : Tables.object(source.get("flags")).entrySet()) {
      Object value = entry.path(flag.getKey());
      if (value != null && !value.equals(false)) {
        return as(flag.getKey(), (String) flag.getValue(), source);
      }
    }
    return (String) source.get("else");
  }

  private String ruled(int layer, Map<String, Object> source) {
    if (source.get("all") instanceof String all) {
      return all;
    }
    if (source.get("first") instanceof String first) {
      return layer < number(first) ? (String) source.get("before") : (String) source.get("then");
    }
    List<String> start = Tables.strings(source.get("start"));
    if (layer < start.size()) {
      return start.get(layer);
    }
    long n = number((String) source.get("modulo"));
    if (n < 1) {
      throw config.error(present(source, config), n + " is not a whole number above 0");
    }
    long at = Math.max(layer + number((String) source.getOrDefault("shift", "0")), 0) % n;
    long rest = number((String) source.getOrDefault("rest", "0"));
    return (String) source.get(at == rest ? "at" : "else");
  }

  private long number(String expression) {
    return Expression.number(expression, config, name);
  }
}
