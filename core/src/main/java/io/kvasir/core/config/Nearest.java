package io.kvasir.core.config;

import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** The name that somebody probably meant. */
public final class Nearest {
  private Nearest() {}

  /**
   * {@return the known name that differs in a third of its letters at most, the nearest one first}
   */
  public static Optional<String> to(String name, Collection<String> known) {
    return known.stream()
        .filter(k -> distance(name, k) <= (Math.max(name.length(), k.length()) + 1) / 3)
        .min(Comparator.comparingInt(k -> distance(name, k)));
  }

  /** Levenshtein's distance: letters to insert, delete or replace. */
  private static int distance(String a, String b) {
    int[] row = new int[b.length() + 1];
    Arrays.setAll(row, i -> i);
    for (int i = 1; i <= a.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int replaced = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
      }
    }
    return row[b.length()];
  }
}
