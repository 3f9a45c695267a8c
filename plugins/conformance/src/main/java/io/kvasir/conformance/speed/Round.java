package io.kvasir.conformance.speed;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/**
 * One pass over a few hundred blocks.
 *
 * @param bytes of the payloads that it moved
 * @param seconds that it took
 * @param cpuSeconds of this process and, for a server, of the server
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

  /** Where CPU seconds are read. */
  @FunctionalInterface
  public interface Cpu {
    /**
     * {@return processor seconds until now}
     *
     * @throws Exception if they cannot be read
     */
    double seconds() throws Exception;
  }

  /**
   * {@return how long a pass took, with this process's CPU time in the JDK's ticks of 10 ms}
   *
   * @throws Exception what the pass throws
   */
  public static Round time(long bytes, Pass pass) throws Exception {
    return time(bytes, pass, () -> SYSTEM.getProcessCpuTime() / 1e9);
  }

  /**
   * {@return how long a pass took}
   *
   * @throws Exception what the pass throws
   */
  public static Round time(long bytes, Pass pass, Cpu cpu) throws Exception {
    double cpuBefore = cpu.seconds();
    long before = System.nanoTime();
    pass.run();
    double seconds = (System.nanoTime() - before) / 1e9;
    return new Round(bytes, seconds, cpu.seconds() - cpuBefore);
  }

  /** {@return this pass and what followed it, as one} */
  public Round then(Round next) {
    return new Round(bytes, seconds + next.seconds, cpuSeconds + next.cpuSeconds);
  }

  /** {@return the speed in 10^9 bytes a second} */
  public double gigabytesPerSecond() {
    return bytes / seconds / 1e9;
  }

  /** {@return processor seconds for 10^9 bytes} */
  public double cpuSecondsPerGigabyte() {
    return cpuSeconds / (bytes / 1e9);
  }
}
