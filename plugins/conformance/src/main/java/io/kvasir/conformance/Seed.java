package io.kvasir.conformance;

import java.util.SplittableRandom;

/**
 * The one seed of a JVM's test run. It is printed once; {@code -Dkvasir.seed=…} repeats the run,
 * and prints nothing.
 */
public final class Seed {
  /** System property that sets the seed. */
  public static final String PROPERTY = "kvasir.seed";

  private static final long VALUE = choose();

  private Seed() {}

  private static long choose() {
    String given = System.getProperty(PROPERTY);
    long seed = given == null ? System.nanoTime() & 0xffffffffL : Long.parseLong(given);
    if (given == null) {
      System.out.println("seed " + seed + "; repeat with -D" + PROPERTY + "=" + seed);
    }
    return seed;
  }

  /** {@return the seed of this run} */
  public static long value() {
    return VALUE;
  }

  /** {@return randomness of one name: the order of the tests does not change it} */
  public static SplittableRandom random(String name) {
    return new SplittableRandom(VALUE * 31 + name.hashCode());
  }
}
