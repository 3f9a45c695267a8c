package io.kvasir.benchmarks.compare;

/**
 * One of the goals of the local store's design, and whether it holds here.
 *
 * @param id G1 to G9
 * @param what is asked, as a number
 * @param value what was measured, as text
 * @param wanted what it should be
 * @param holds whether it is so; null where it could not be measured
 */
record Goal(String id, String what, String value, String wanted, Boolean holds) {

  static Goal atLeast(String id, String what, double value, double wanted) {
    return new Goal(
        id, what, "%.3f".formatted(value), "≥ %s".formatted(plain(wanted)), value >= wanted);
  }

  static Goal atMost(String id, String what, double value, double wanted) {
    return new Goal(
        id, what, "%.3f".formatted(value), "≤ %s".formatted(plain(wanted)), value <= wanted);
  }

  /** Not asked for, and good to know beside a goal. */
  static Goal beside(String id, String what, double value) {
    return new Goal(id, what, "%.3f".formatted(value), "", null);
  }

  static Goal unmeasured(String id, String what, String why) {
    return new Goal(id, what, why, "", null);
  }

  private static String plain(double value) {
    return value == (long) value ? "" + (long) value : "" + value;
  }

  String verdict() {
    return holds == null ? "-" : holds ? "holds" : "MISSED";
  }
}
