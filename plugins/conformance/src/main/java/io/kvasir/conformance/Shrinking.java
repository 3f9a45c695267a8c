package io.kvasir.conformance;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Makes a failing list smaller, as delta debugging does. */
final class Shrinking {
  private Shrinking() {}

  /**
   * {@return a part of the list, in order, that still fails, and of which no element can be left
   * out if there was time to try}
   *
   * @param fails tells whether a list fails; true for the first one
   * @param attempts how often it may be asked
   */
  static <T> List<T> smallest(List<T> failing, Predicate<List<T>> fails, int attempts) {
    List<T> best = failing;
    int piece = Math.max(1, best.size() / 2);
    int left = attempts;
    while (true) {
      boolean smaller = false;
      for (int at = 0; at < best.size() && left > 0; left--) {
        List<T> without = new ArrayList<>(best.subList(0, at));
        without.addAll(best.subList(Math.min(best.size(), at + piece), best.size()));
        if (fails.test(without)) {
          best = without;
          smaller = true;
        } else {
          at += piece;
        }
      }
      if (left <= 0 || (piece == 1 && !smaller)) {
        return best;
      }
      piece = Math.max(1, piece / 2);
    }
  }
}
