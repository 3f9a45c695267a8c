package io.kvasir.cli;

/** What the exit status of a command means; {@code kvasir --help} lists them. */
final class ExitCode {
  static final int OK = 0;
  static final int FAILED = 1;
  static final int USAGE = 2;
  static final int UNAVAILABLE = 3;
  static final int UNEXPECTED = 4;

  private ExitCode() {}
}
