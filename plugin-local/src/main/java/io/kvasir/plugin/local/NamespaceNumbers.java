package io.kvasir.plugin.local;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Small numbers for the namespaces of one file, so that a slot needs two bytes for its own. Not
 * thread-safe.
 */
final class NamespaceNumbers {
  static final int MAX = 0xFFFE;

  /** What a page of namespaces takes in a checkpoint and in the one that replaces it. */
  static final long PAGE_BYTES = 2L * Layout.PAGE;

  private static final int PER_PAGE = Layout.PAGE / 16;

  private final Map<Bits128, Integer> numbers = new HashMap<>();
  private final List<Bits128> namespaces = new ArrayList<>();

  /** The number of a namespace, a new one where it has none; -1 when all are taken. */
  int of(Bits128 namespace) {
    Integer number = numbers.get(namespace);
    if (number != null) {
      return number;
    }
    if (namespaces.size() == MAX) {
      return -1;
    }
    numbers.put(namespace, namespaces.size());
    namespaces.add(namespace);
    return namespaces.size() - 1;
  }

  /** The number of a namespace; -1 where it has none. */
  int find(Bits128 namespace) {
    return numbers.getOrDefault(namespace, -1);
  }

  /** The pages that they fill in a checkpoint, without the first. */
  int morePages() {
    return Math.max(0, (namespaces.size() - 1) / PER_PAGE);
  }

  /** The same, with the next namespace. */
  int morePagesWithNext() {
    return namespaces.size() / PER_PAGE;
  }

  /** All namespaces, by number. */
  List<Bits128> all() {
    return List.copyOf(namespaces);
  }
}
