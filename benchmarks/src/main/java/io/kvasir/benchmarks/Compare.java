package io.kvasir.benchmarks;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import tools.jackson.databind.json.JsonMapper;

/** Compares stores with raw I/O and with each other; {@code benchmarks/compare} starts it. */
public final class Compare {
  private final CompareOptions options;

  private Compare(CompareOptions options) {
    this.options = options;
  }

  /** Takes the arguments of {@link CompareOptions#USAGE}. */
  public static void main(String[] arguments) throws Exception {
    try {
      new Compare(CompareOptions.parse(List.of(arguments))).run();
    } catch (IllegalArgumentException e) {
      System.err.println("compare: " + e.getMessage());
      System.exit(2);
    }
  }

  private void run() throws Exception {
    List<PeerResult> results = new ArrayList<>();
    for (String peer : options.only()) {
      results.add(measure(peer));
    }
    System.out.printf(
        "%-8s %-20s %8s %8s %17s %9s%n",
        "store", "rounds", "GB/s", "x raw", "quartiles", "CPU s/GB");
    for (PeerResult result : results) {
      for (Figure f : result.figures()) {
        System.out.printf(
            "%-8s %-20s %8.2f %8s %17s %9.3f%n",
            result.peer(),
            f.what(),
            f.gigabytesPerSecond().value(),
            f.ratio() == null ? "" : "%.3f".formatted(f.ratio().value()),
            f.ratio() == null ? "" : "%.3f … %.3f".formatted(f.ratio().low(), f.ratio().high()),
            f.cpuSecondsPerGigabyte().value());
      }
    }
    if (options.json()) {
      System.out.println(new JsonMapper().writeValueAsString(results));
    }
  }

  private PeerResult measure(String peer) throws Exception {
    Files.createDirectories(options.directory());
    Path directory = Files.createTempDirectory(options.directory(), peer + "-").toAbsolutePath();
    Plan plan =
        new Plan(
            peer,
            directory,
            RawDisk.Way.URING,
            2 << 20,
            32,
            256,
            options.quick() ? 15 : 31,
            3,
            true);
    try {
      Process jvm =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-Xmx2g",
                  "--enable-native-access=ALL-UNNAMED",
                  "-cp",
                  System.getProperty("java.class.path"),
                  PeerRun.class.getName(),
                  plan.json())
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      String last = "";
      try (BufferedReader out = jvm.inputReader()) {
        for (String line; (line = out.readLine()) != null; ) {
          last = line;
        }
      }
      if (jvm.waitFor() != 0) {
        throw new IOException(peer + ": its JVM ended with " + jvm.exitValue());
      }
      return PeerResult.of(last);
    } finally {
      delete(directory);
    }
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }
}
