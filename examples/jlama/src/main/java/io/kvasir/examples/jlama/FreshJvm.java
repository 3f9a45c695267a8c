package io.kvasir.examples.jlama;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Runs one request in a JVM of its own, so that nothing but the store can carry keys and values
 * from one run to the next. The JVM gets the class path and the module path of this one.
 */
final class FreshJvm {
  private static final long TIMEOUT_MINUTES = 30;
  private static final int LOG_TAIL = 30;

  private final Path directory;

  /** Requests, results and logs go to files in this directory. */
  FreshJvm(Path directory) {
    this.directory = directory;
  }

  /**
   * Starts the JVM and waits for its result.
   *
   * @throws IOException if it fails; the message has the end of its log
   */
  Generation run(DemoRequest request) throws IOException, InterruptedException {
    String name = "run-%02d".formatted(request.number());
    Path result = directory.resolve(name + ".result.json");
    Path log = directory.resolve(name + ".log");
    Path asked = directory.resolve(name + ".request.json");
    ObjectMapper json = new ObjectMapper();
    Files.writeString(asked, json.writeValueAsString(request));

    List<String> command = command();
    command.addAll(List.of(DemoRequest.class.getName(), asked.toString(), result.toString()));
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    try {
      if (!process.waitFor(TIMEOUT_MINUTES, TimeUnit.MINUTES)) {
        throw new IOException(
            "%s: no result after %d minutes; use a smaller model or fewer --shared-tokens%n%s"
                .formatted(name, TIMEOUT_MINUTES, tail(log)));
      }
    } finally {
      process.destroyForcibly();
    }
    if (process.exitValue() != 0) {
      throw new IOException(
          "%s: the JVM ended with %d; the end of its log:%n%s"
              .formatted(name, process.exitValue(), tail(log)));
    }
    return json.readValue(result.toFile(), Generation.class);
  }

  private static List<String> command() {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    String modulePath = System.getProperty("jdk.module.path", "");
    String modules = "jdk.incubator.vector";
    String nativeAccess = "ALL-UNNAMED";
    if (!modulePath.isEmpty()) {
      command.add("--module-path=" + modulePath);
      modules += ",io.kvasir.api,io.kvasir.core,ALL-DEFAULT";
      nativeAccess += ",io.kvasir.core";
    }
    command.add("--add-modules=" + modules);
    command.add("--enable-native-access=" + nativeAccess);
    command.add("--sun-misc-unsafe-memory-access=allow");
    command.add("-D" + JlamaEngine.BATCH_PROPERTY + "=" + JlamaEngine.BLOCK_TOKENS);
    command.add("--class-path=" + absolute(System.getProperty("java.class.path")));
    return command;
  }

  private static String absolute(String classPath) {
    List<String> entries = new ArrayList<>();
    for (String entry : classPath.split(File.pathSeparator, -1)) {
      if (!entry.isEmpty()) {
        entries.add(Path.of(entry).toAbsolutePath().toString());
      }
    }
    return String.join(File.pathSeparator, entries);
  }

  private static String tail(Path log) throws IOException {
    List<String> lines = Files.readAllLines(log);
    return String.join("\n", lines.subList(Math.max(0, lines.size() - LOG_TAIL), lines.size()));
  }
}
