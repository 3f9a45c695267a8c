package io.kvasir.plugin.local;

/** Which blocks a save stores. */
public enum Admission {
  /** Each. */
  ALL,
  /**
   * Those that are saved for the second time: less is written, which flash lives longer by, and
   * what comes only once is not kept.
   */
  SECOND_SIGHT
}
