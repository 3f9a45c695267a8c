package io.kvasir.conformance.speed;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;

/** What the kernel counts of this process: bytes that it had to read from a device. */
final class DiskReads {
  private static final Path COUNTERS = Path.of("/proc/self/io");
  private static final String READ = "read_bytes: ";

  private DiskReads() {}

  /** {@return the bytes until now, where the kernel says them} */
  static OptionalLong bytes() {
    try {
      return Files.readAllLines(COUNTERS).stream()
          .filter(line -> line.startsWith(READ))
          .mapToLong(line -> Long.parseLong(line.substring(READ.length())))
          .findFirst();
    } catch (IOException e) {
      return OptionalLong.empty(); // another system, or a container that hides it
    }
  }
}
