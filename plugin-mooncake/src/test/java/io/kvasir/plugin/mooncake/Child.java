package io.kvasir.plugin.mooncake;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Another process of a test: a JVM with the test's classes, or a server of the cluster. */
final class Child implements AutoCloseable {
  private final Process process;
  private final BufferedReader output;

  private Child(List<String> command, ProcessBuilder.Redirect errors) {
    try {
      ProcessBuilder builder = new ProcessBuilder(command);
      if (errors == null) {
        builder.redirectErrorStream(true);
      } else {
        builder.redirectError(errors);
      }
      String data = System.getProperty("kvasir.standin.data");
      if (data != null) {
        builder.environment().put("MOONCAKE_STANDIN_DIR", data);
      }
      this.process = builder.start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    this.output = process.inputReader();
  }

  /** Starts a main class of the tests. */
  static Child jvm(Class<?> main, String... arguments) {
    return jvm(ProcessBuilder.Redirect.INHERIT, main, arguments);
  }

  /** Starts a main class of the tests, whose errors come as lines of its output. */
  static Child jvmWithErrors(Class<?> main, String... arguments) {
    return jvm(null, main, arguments);
  }

  private static Child jvm(ProcessBuilder.Redirect errors, Class<?> main, String... arguments) {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "--enable-native-access=ALL-UNNAMED"));
    for (String property : List.of("kvasir.standin", "kvasir.standin.data")) {
      if (System.getProperty(property) != null) {
        command.add("-D" + property + "=" + System.getProperty(property));
      }
    }
    command.addAll(List.of("-cp", classPath(), main.getName()));
    command.addAll(List.of(arguments));
    return new Child(command, errors);
  }

  /**
   * Starts a master or a client of Mooncake, or the stand-in's.
   *
   * @param flags as Mooncake's have them
   */
  static Child program(String name, List<String> flags) {
    List<String> command = new ArrayList<>(List.of(Rig.program(name).toString()));
    command.addAll(flags);
    return Rig.REAL // logs to stderr at length, and says nothing on its output
        ? new Child(command, ProcessBuilder.Redirect.DISCARD)
        : new Child(command, ProcessBuilder.Redirect.INHERIT);
  }

  /** In module mode the tests' own classes are patched in and on no path. */
  private static String classPath() {
    List<String> all = new ArrayList<>();
    if (System.getProperty("jdk.module.path") != null) {
      all.add(System.getProperty("jdk.module.path"));
      all.add(Path.of("target", "classes").toAbsolutePath().toString());
      all.add(Path.of("target", "test-classes").toAbsolutePath().toString());
    }
    all.add(System.getProperty("java.class.path"));
    return String.join(File.pathSeparator, all);
  }

  /** {@return the next line of its output, or null at its end} */
  String line() {
    try {
      return output.readLine();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void expect(String line) {
    assertEquals(line, line());
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** Kills it as SIGKILL does. */
  void kill() {
    process.destroyForcibly().onExit().join();
  }

  void freeze() throws Exception {
    signal("STOP");
    Path status = Path.of("/proc/" + process.pid() + "/status");
    Client.until(
        "it stands still",
        () -> Files.readAllLines(status).stream().anyMatch(l -> l.startsWith("State:\tT")));
  }

  void thaw() throws Exception {
    signal("CONT");
  }

  private void signal(String name) throws Exception {
    assertEquals(
        0, new ProcessBuilder("kill", "-" + name, "" + process.pid()).start().waitFor(), name);
  }

  /** {@return its exit code} */
  int end() throws InterruptedException {
    assertEquals(true, process.waitFor(60, TimeUnit.SECONDS), "it ends");
    return process.exitValue();
  }

  @Override
  public void close() {
    kill();
  }
}
