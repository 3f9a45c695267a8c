package io.kvasir.conformance.speed;

import java.util.Collection;

/**
 * The middle of some measurements, and the quarters beside it.
 *
 * @param low a quarter of the values lies below it
 * @param value half of the values lies below it
 * @param high a quarter of the values lies above it
 */
public record Median(double low, double value, double high) {

  /**
   * {@return the quartiles of at least one value, interpolated between neighbours}
   *
   * @throws IllegalArgumentException if there is none
   */
  public static Median of(Collection<Double> values) {
    if (values.isEmpty()) {
      throw new IllegalArgumentException("the median of no values");
    }
    double[] sorted = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
    return new Median(at(sorted, 0.25), at(sorted, 0.5), at(sorted, 0.75));
  }

  private static double at(double[] sorted, double share) {
    double place = share * (sorted.length - 1);
    int below = (int) place;
    int above = Math.min(below + 1, sorted.length - 1);
    return sorted[below] + (place - below) * (sorted[above] - sorted[below]);
  }
}
