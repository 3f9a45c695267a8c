package io.kvasir.cli.bench;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/**
 * One timed pass over some bytes.
 *
 * @param bytes moved
 * @param seconds by the wall clock
 * @param cpuSeconds of this process
 */
public record Round(long bytes, double seconds, double cpuSeconds) {
  private static final OperatingSystemMXBean SYSTEM =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

  /** What is timed. */
  @FunctionalInterface
  public interface Pass {
    /**
     * Moves the bytes.
     *
     * @throws Exception any failure
     */
    void run() throws Exception;
  }

  /**
   * {@return how long a pass took}
   *
   * @throws Exception what the pass throws
   */
  public static Round time(long bytes, Pass pass) throws Exception {
    long cpuBefore = SYSTEM.getProcessCpuTime();
    long before = System.nanoTime();
    pass.run();
    double seconds = (System.nanoTime() - before) / 1e9;
    return new Round(bytes, seconds, (SYSTEM.getProcessCpuTime() - cpuBefore) / 1e9);
  }

  /** {@return the speed in 10^9 bytes a second} */
  public double gigabytesPerSecond() {
    return bytes / 1e9 / seconds;
  }

  /** {@return processor seconds for 10^9 bytes} */
  public double cpuSecondsPerGigabyte() {
    return cpuSeconds / (bytes / 1e9);
  }
}
