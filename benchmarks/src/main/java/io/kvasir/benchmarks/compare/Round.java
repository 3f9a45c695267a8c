package io.kvasir.benchmarks.compare;

import io.kvasir.benchmarks.common.Posix;

/**
 * One timed pass over some bytes.
 *
 * @param bytes moved
 * @param seconds by the wall clock
 * @param cpuSeconds of this process and, for a server, of the server
 */
record Round(long bytes, double seconds, double cpuSeconds) {

  /** What is timed. */
  @FunctionalInterface
  interface Pass {
    void run() throws Exception;
  }

  /** Where CPU seconds are read. */
  @FunctionalInterface
  interface Cpu {
    double seconds() throws Exception;
  }

  static Round time(long bytes, Pass pass) throws Exception {
    return time(bytes, pass, Posix::cpuSeconds);
  }

  static Round time(long bytes, Pass pass, Cpu cpu) throws Exception {
    double cpuBefore = cpu.seconds();
    long before = System.nanoTime();
    pass.run();
    double seconds = (System.nanoTime() - before) / 1e9;
    return new Round(bytes, seconds, cpu.seconds() - cpuBefore);
  }

  /** This pass and what followed it, as one. */
  Round then(Round next) {
    return new Round(bytes, seconds + next.seconds, cpuSeconds + next.cpuSeconds);
  }

  double gigabytesPerSecond() {
    return bytes / 1e9 / seconds;
  }

  double cpuSecondsPerGigabyte() {
    return cpuSeconds / (bytes / 1e9);
  }
}
