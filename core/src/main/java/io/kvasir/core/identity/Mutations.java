package io.kvasir.core.identity;

import io.kvasir.api.format.Dtype;
import io.kvasir.api.format.GroupKind;
import io.kvasir.api.identity.CanonicalJson;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * The manifests that differ from one in a single field: every leaf with other values, null against
 * a value, elements added and removed, and each closed alternative of the schema. Some of them are
 * no manifests; who reads one finds out.
 */
final class Mutations {
  /**
   * One changed tree.
   *
   * @param field the path of what was changed, without the numbers of list elements
   * @param json the whole tree
   */
  record Mutation(String field, Map<String, Object> json) {}

  private static final Map<String, Object> IN_BLOCK = scales("block", null);
  private static final Map<String, Object> IN_ENGINE =
      scales("engine", "sha256:" + "5a".repeat(32));

  private final List<Mutation> out = new ArrayList<>();

  private Mutations() {}

  @SuppressWarnings("unchecked") // the root of a manifest is an object, and stays one
  static List<Mutation> of(Map<String, Object> manifest) {
    Mutations m = new Mutations();
    m.walk("", manifest, root -> (Map<String, Object>) root);
    return m.out;
  }

  private void walk(String field, Object value, Function<Object, Map<String, Object>> root) {
    String was = CanonicalJson.text(value);
    for (Object other : others(field, value)) {
      if (!CanonicalJson.text(other).equals(was)) {
        out.add(new Mutation(field, root.apply(other)));
      }
    }
    if (value instanceof Map<?, ?> map) {
      new TreeMap<>(map) // one order, so that messages do not change from start to start
          .forEach(
              (name, child) ->
                  walk(
                      field.isEmpty() ? (String) name : field + "." + name,
                      child,
                      other -> root.apply(with(map, name, other))));
    } else if (value instanceof List<?> list) {
      for (int i = 0; i < list.size(); i++) {
        int at = i;
        walk(field + "[]", list.get(i), other -> root.apply(with(list, at, other)));
      }
    }
  }

  private static List<Object> others(String field, Object value) {
    List<Object> out = new ArrayList<>(alternatives(field));
    switch (value) {
      case null -> out.addAll(List.of(1, "x"));
      case Boolean b -> out.add(!b);
      case Number n -> out.addAll(List.of(n.doubleValue() + 1, n.doubleValue() * 2));
      case String s -> addTexts(s, out);
      case List<?> list -> addLists(list, out);
      case Map<?, ?> map when field.endsWith(".extensions") -> addExtensions(map, out);
      default -> {}
    }
    if (value != null) {
      out.add(null);
    }
    return out;
  }

  private static void addTexts(String s, List<Object> out) {
    out.add(s + "x");
    if (!s.isEmpty()) { // another digest, where a longer one is none
      out.add(s.substring(0, s.length() - 1) + (s.endsWith("0") ? '1' : '0'));
    }
  }

  private static void addLists(List<?> list, List<Object> out) {
    if (list.isEmpty()) {
      out.add(List.of(0));
      return;
    }
    out.add(list.subList(1, list.size()));
    out.add(list.subList(0, list.size() - 1));
    List<Object> longer = new ArrayList<>(list);
    switch (list.getLast()) {
      case Number n -> longer.add(n.longValue() + 1);
      case Map<?, ?> group when group.get("id") instanceof Number n ->
          longer.add(with(group, "id", n.longValue() + 1));
      case null, default -> longer.add(list.getLast());
    }
    out.add(longer);
  }

  private static void addExtensions(Map<?, ?> map, List<Object> out) {
    out.add(with(map, "kvasir.probe", true));
    for (Object name : map.keySet()) {
      Map<Object, Object> fewer = new HashMap<>(map);
      fewer.remove(name);
      out.add(fewer);
    }
  }

  /** Closed alternatives, which no change of one leaf reaches. */
  private static List<Object> alternatives(String field) {
    return switch (field.substring(field.lastIndexOf('.') + 1)) {
      case "weights" ->
          List.of(
              Map.of("kind", "base", "model", "probe", "name", "probe-1"),
              Map.of("kind", "full", "run", "probe", "update", "probe-1"),
              Map.of("kind", "unknown", "nonce", "5a".repeat(16)));
      case "shards" ->
          List.of(
              Map.of("scheme", "kv-head", "count", 1),
              Map.of("scheme", "kv-head", "count", 2),
              Map.of("scheme", "rank", "tp", 1, "pp", 1),
              Map.of("scheme", "rank", "tp", 1, "pp", 2));
      case "hit" -> List.of("all", Map.of("trailing", 1), Map.of("trailing", 2));
      case "quant" -> List.of(Map.of("k", scheme(IN_BLOCK), "v", scheme(IN_BLOCK)));
      case "k", "v" -> List.of(scheme(IN_BLOCK), scheme(IN_ENGINE));
      case "scales" -> List.of(IN_BLOCK, IN_ENGINE);
      case "kind" -> names(GroupKind.values(), GroupKind::wireName);
      case "k_dtype", "v_dtype", "scale_dtype" -> names(Dtype.values(), Dtype::wireName);
      case "byte_order" -> List.of("little", "big");
      default -> List.of();
    };
  }

  private static <T> List<Object> names(T[] values, Function<T, Object> name) {
    return Arrays.stream(values).map(name).toList();
  }

  private static Map<String, Object> scheme(Map<String, Object> scales) {
    Map<String, Object> out = new LinkedHashMap<>();
    out.put("scheme", "int");
    out.put("bits", 8);
    out.put("axis", "token");
    out.put("group_size", null);
    out.put("symmetric", true);
    out.put("scale_dtype", "f16");
    out.put("packing", null);
    out.put("scales", scales);
    return out;
  }

  private static Map<String, Object> scales(String in, String digest) {
    Map<String, Object> out = new LinkedHashMap<>();
    out.put("in", in);
    out.put("digest", digest);
    return out;
  }

  private static Map<Object, Object> with(Map<?, ?> map, Object name, Object value) {
    Map<Object, Object> out = new LinkedHashMap<>(map);
    out.put(name, value);
    return out;
  }

  private static List<Object> with(List<?> list, int index, Object value) {
    List<Object> out = new ArrayList<>(list);
    out.set(index, value);
    return out;
  }
}
