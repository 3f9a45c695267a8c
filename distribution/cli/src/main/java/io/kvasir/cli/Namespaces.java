package io.kvasir.cli;

import io.kvasir.api.KvasirException;
import io.kvasir.api.store.NamespaceSummary;
import java.util.List;
import java.util.Locale;

/** Namespaces of a store, as an operator names them. */
final class Namespaces {
  private static final int LEAST_DIGITS = 8;

  private Namespaces() {}

  /**
   * {@return the one namespace whose id begins with these digits, or null if there is none}
   *
   * @throws KvasirException if the digits are too few or fit several
   */
  static NamespaceSummary named(String digits, List<NamespaceSummary> all) {
    String prefix = digits.toLowerCase(Locale.ROOT);
    if (!prefix.matches("[0-9a-f]{%d,64}".formatted(LEAST_DIGITS))) {
      throw new KvasirException(
          "\"%s\" names no namespace; give %d or more of its hexadecimal digits, as kvasir ls shows"
                  .formatted(digits, LEAST_DIGITS)
              + " them");
    }
    List<NamespaceSummary> found =
        all.stream().filter(n -> n.id().hex().startsWith(prefix)).toList();
    if (found.size() > 1) {
      throw new KvasirException(
          "\"%s\" fits %d namespaces; give more digits".formatted(digits, found.size()));
    }
    return found.isEmpty() ? null : found.getFirst();
  }
}
