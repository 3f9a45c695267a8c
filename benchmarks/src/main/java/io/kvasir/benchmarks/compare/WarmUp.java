package io.kvasir.benchmarks.compare;

import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;

/**
 * Rounds before those that count: the compiler's time is the process's, too, and it works on for
 * dozens of rounds. Asked before each round; ends when the compiler took little of the last ones.
 */
final class WarmUp {
  private static final CompilationMXBean COMPILER = ManagementFactory.getCompilationMXBean();
  private static final int FEWEST = 5;
  private static final int MOST = 60;
  private static final double LITTLE = 0.01;

  private final long began = System.nanoTime();
  private final double longestNanos;
  private int rounds;
  private int quiet;
  private long lastNanos = began;
  private long lastCompiled = COMPILER.getTotalCompilationTime();

  /**
   * @param seconds that the rounds which count may take
   */
  WarmUp(int seconds) {
    this.longestNanos = 1.5e9 + seconds * 1e9 / 3;
  }

  /** {@return whether another round should come before those that count} */
  boolean wantsMore() {
    long now = System.nanoTime();
    long compiled = COMPILER.getTotalCompilationTime();
    quiet = (compiled - lastCompiled) * 1e6 <= LITTLE * (now - lastNanos) ? quiet + 1 : 0;
    lastNanos = now;
    lastCompiled = compiled;
    boolean enough = rounds > FEWEST && quiet >= FEWEST;
    boolean slow = now - began > longestNanos; // where a round takes long, it has seen everything
    return rounds++ == 0 || !(enough || slow || rounds > MOST);
  }
}
