package io.kvasir.benchmarks.compare;

/**
 * One of the goals of the local store's design, and whether it holds here.
 *
 * @param id G1 to G8
 * @param what is asked, as a number
 * @param value what was measured; null where it could not be
 * @param wanted what it should be, as text; empty for what is only good to know beside a goal
 * @param holds whether it is so; null where nothing is wanted, or nothing was measured
 * @param note why nothing was measured; else empty
 */
record Goal(String id, String what, Double value, String wanted, Boolean holds, String note) {

  static Goal atLeast(String id, String what, double value, double wanted) {
    return new Goal(id, what, value, "≥ " + plain(wanted), value >= wanted, "");
  }

  static Goal atMost(String id, String what, double value, double wanted) {
    return new Goal(id, what, value, "≤ " + plain(wanted), value <= wanted, "");
  }

  /** Not asked for, and good to know beside a goal. */
  static Goal beside(String id, String what, double value) {
    return new Goal(id, what, value, "", null, "");
  }

  static Goal unmeasured(String id, String what, String why) {
    return new Goal(id, what, null, "", null, why);
  }

  private static String plain(double value) {
    return value == (long) value ? "" + (long) value : "" + value;
  }

  String verdict() {
    return holds == null ? note : holds ? "holds" : "MISSED";
  }
}
