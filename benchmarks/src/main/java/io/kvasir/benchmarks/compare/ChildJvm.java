package io.kvasir.benchmarks.compare;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A fresh JVM on this class path, for one measurement. */
final class ChildJvm {
  private static final String HEAP = "-Xmx2g";

  private ChildJvm() {}

  /** {@return the last line that the program printed} */
  static String run(Class<?> program, String... arguments) throws IOException {
    return run(List.of(HEAP), program, arguments);
  }

  /**
   * {@return the last line that the program printed}
   *
   * @param options of the JVM, beside those that every measurement needs
   * @throws IOException if the program failed
   */
  static String run(List<String> options, Class<?> program, String... arguments)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of(
            "--enable-native-access=ALL-UNNAMED",
            // LMDB's binding reads the address of a direct buffer
            "--add-opens=java.base/java.nio=ALL-UNNAMED",
            "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow"));
    command.addAll(options);
    for (Tool tool : Tool.values()) {
      command.addAll(tool.properties());
    }
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add(program.getName());
    command.addAll(List.of(arguments));
    Process jvm =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    String last = "";
    try (BufferedReader out = jvm.inputReader()) {
      for (String line; (line = out.readLine()) != null; ) {
        last = line;
      }
      if (jvm.waitFor() != 0) {
        throw new IOException(
            "%s %s ended with %d"
                .formatted(program.getSimpleName(), String.join(" ", arguments), jvm.exitValue()));
      }
    } catch (InterruptedException e) {
      throw new IOException("interrupted", e);
    } finally {
      jvm.destroyForcibly();
    }
    return last;
  }
}
