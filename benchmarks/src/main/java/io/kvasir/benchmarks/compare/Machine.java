package io.kvasir.benchmarks.compare;

import io.kvasir.benchmarks.common.PageCache;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * Where and under which load something was measured.
 *
 * @param processor its name
 * @param cores that the JVM sees
 * @param memoryBytes of the machine
 * @param fileSystem of the folder that was measured
 * @param kernel its release
 * @param java its version
 * @param load of the last minute, when the measurement began
 * @param loadAfter the same when it ended, which the measurement itself is part of
 */
record Machine(
    String processor,
    int cores,
    long memoryBytes,
    String fileSystem,
    String kernel,
    String java,
    double load,
    double loadAfter) {

  static Machine here(Path folder) throws IOException {
    return new Machine(
        modelName(),
        Runtime.getRuntime().availableProcessors(),
        PageCache.memory("MemTotal:"),
        Files.getFileStore(folder).type(),
        System.getProperty("os.version"),
        Runtime.version().toString(),
        loadNow(),
        0);
  }

  Machine after(double load) {
    return new Machine(processor, cores, memoryBytes, fileSystem, kernel, java, this.load, load);
  }

  static double loadNow() throws IOException {
    return Double.parseDouble(Files.readString(Path.of("/proc/loadavg")).split(" ", 2)[0]);
  }

  private static String modelName() throws IOException {
    try (Stream<String> lines = Files.lines(Path.of("/proc/cpuinfo"))) {
      return lines
          .filter(line -> line.startsWith("model name"))
          .map(line -> line.substring(line.indexOf(':') + 1).strip())
          .findFirst()
          .orElse("unknown processor");
    }
  }

  @Override
  public String toString() {
    return "%s, %d cores, %.0f GiB, %s, Linux %s, Java %s, load %.2f before and %.2f after"
        .formatted(
            processor,
            cores,
            memoryBytes / (double) (1 << 30),
            fileSystem,
            kernel,
            java,
            load,
            loadAfter);
  }
}
