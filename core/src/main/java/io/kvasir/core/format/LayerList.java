package io.kvasir.core.format;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/**
 * A list with one entry per layer, such as {@code layer_types}, from whichever spelling a file has.
 *
 * <p>A class lists its spellings, each an object with one of the names below. Those that the file
 * has must agree; if it has none, the first {@code rule} decides.
 *
 * <ul>
 *   <li>{@code list}: a list, its values as {@code as} has them; {@code chars}: a text with a
 *       character per layer; {@code of}: its values are objects, and this is made of each; {@code
 *       more}: a field with the number of entries beyond the layers; {@code empty}: an empty list
 *       is an absent one
 *   <li>{@code places}: by value, the list of its layers, from {@code base}; {@code else}
 *   <li>{@code rule}: an {@link Expression} of {@code layer}; {@code from}: the fields by which a
 *       file says it
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
  static List<String> normalize(String name, Object spellings, Fields config) {
    LayerList list = new LayerList(name, config);
    List<Rules> sources = Rules.each(spellings);
    List<String> found = null;
    String first = null;
    for (Rules source : sources) {
      String field = present(source, config);
      List<String> own = field == null ? found : list.of(field, source);
      if (found != null && !found.equals(own)) {
        throw config.error(first, "contradicts " + field + "; keep the one that is in force");
      }
      first = found == null ? field : first;
      found = own;
    }
    for (Rules source : sources) {
      found = found == null && source.flag("rule") ? list.of(null, source) : found;
      if (!source.flag("keep")) {
        for (String field : fields(source)) {
          config.remove(field);
        }
      }
    }
    if (found == null) {
      throw config.wrong(name, "the kind of each layer");
    }
    config.put(name, found);
    return found;
  }

  /** {@return the length of the first list or text of a file; null if it has none} */
  static Long length(Object spellings, Fields config) {
    for (Rules source : Rules.each(spellings)) {
      String field = present(source, config);
      if (field != null) {
        Object said = config.path(field);
        return (long) (said instanceof List<?> l ? l.size() : String.valueOf(said).length());
      }
    }
    return null;
  }

  /** {@return the first field of the file that is this spelling; null if it has none} */
  private static String present(Rules source, Fields config) {
    for (String field : fields(source)) {
      Object value = config.path(field);
      if (value != null && !(source.flag("empty") && List.of().equals(value))) {
        return field;
      }
    }
    return null;
  }

  private static List<String> fields(Rules source) {
    return source.flag("list")
        ? List.of(source.rule("list"))
        : source.flag("rule")
            ? source.names("from")
            : source.table("places").values().stream().map(String.class::cast).toList();
  }

  private List<String> of(String field, Rules source) {
    List<String> out = new ArrayList<>();
    if (source.flag("places")) {
      return places(field, source);
    } else if (source.flag("list")) {
      for (Object value : listed(field, source)) {
        Object own = value;
        if (source.flag("of")) {
          own = Expression.value(source.rule("of"), config.entry(field + "[].", value), field);
        }
        out.add(as(field, own instanceof String s ? s : Fields.show(own), source));
      }
    } else {
      Fields each = config.with("layer", 0L);
      for (long i = 0; i < layers; i++) {
        each.put("layer", i);
        out.add((String) Expression.value(source.rule("rule"), each, name));
      }
    }
    return out;
  }

  private List<?> listed(String field, Rules source) {
    List<?> list =
        source.flag("chars")
            ? config.text(field).codePoints().mapToObj(Character::toString).toList()
            : config.list(field);
    Object more = source.flag("more") ? config.path(source.rule("more")) : null;
    boolean beyond = more != null && list.size() != layers;
    if (list.size() != layers + (beyond ? config.whole(source.rule("more"), more) : 0)) {
      throw config.error(field, "has %d entries, but num_hidden_layers is %d", list.size(), layers);
    }
    return list.subList(0, layers);
  }

  private String as(String field, String value, Rules source) {
    Map<String, Object> as = source.table("as");
    if (as.get(value) instanceof String meaning) {
      return meaning;
    }
    throw config.beyond(
        field,
        "\"%s\" is no kind of layer of the class %s (%s)",
        Fields.cut(value),
        config.get("model_type"),
        String.join(", ", as.keySet()));
  }

  private List<String> places(String first, Rules source) {
    List<String> out = new ArrayList<>(Collections.nCopies(layers, null));
    int base = Integer.parseInt(source.rule("base", "0"));
    for (Map.Entry<String, Object> kind : source.table("places").entrySet()) {
      String field = (String) kind.getValue();
      for (Object place : config.list(field)) {
        long i = config.whole(field, place) - base;
        if (i < 0 || i >= layers || out.get((int) i) != null) {
          throw config.error(
              field,
              "%s is none of the %d layers, counted from %d, or stands twice",
              Fields.show(place),
              layers,
              base);
        }
        out.set((int) i, kind.getKey());
      }
    }
    Collections.replaceAll(out, null, source.rule("else"));
    if (out.contains(null)) {
      throw config.error(first, "says nothing of layer %d", out.indexOf(null) + base);
    }
    return out;
  }
}
