package io.kvasir.it;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The built distribution, a directory for a test's files, and what is started from them. */
final class Installed {
  static final Path HOME = Path.of(System.getProperty("kvasir.home"));
  static final Path ARCHIVES = Path.of(System.getProperty("kvasir.archives"));
  static final String VERSION = System.getProperty("kvasir.version");
  static final Path JAVA_HOME = Path.of(System.getProperty("java.home"));
  static final Path API = HOME.resolve("lib/kvasir-api-" + VERSION + ".jar");

  private final Path directory;

  Installed(Path directory) {
    this.directory = directory;
  }

  /**
   * How a process ended.
   *
   * @param exit its exit status
   * @param out standard output
   * @param err standard error
   */
  record Outcome(int exit, String out, String err) {
    /** {@return the output, of a process that ended well} */
    String good() {
      if (exit != 0) {
        throw new AssertionError("exit " + exit + "\n" + out + "\n" + err);
      }
      return out;
    }
  }

  /** Runs bin/kvasir with this test's JDK. */
  Outcome kvasir(String... arguments) throws Exception {
    return run(Map.of("KVASIR_JAVA", JAVA_HOME.toString()), bin(arguments));
  }

  static List<String> bin(String... arguments) {
    return Stream.concat(Stream.of(HOME.resolve("bin/kvasir").toString()), Stream.of(arguments))
        .toList();
  }

  /** Runs a command with these variables set, and those that are empty taken away. */
  Outcome run(Map<String, String> environment, List<String> command) throws Exception {
    ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
    environment.forEach(
        (name, value) -> {
          if (value.isEmpty()) {
            builder.environment().remove(name);
          } else {
            builder.environment().put(name, value);
          }
        });
    Path err = Files.createTempFile(directory, "err", "");
    Process process = builder.redirectError(err.toFile()).start();
    process.getOutputStream().close();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Outcome(process.waitFor(), out, Files.readString(err));
  }

  /** Runs bin/kvasir until it has printed that, and ends it as a terminal or a system would. */
  Outcome interrupted(String printed, String options, String... arguments) throws Exception {
    Path out = Files.createTempFile(directory, "out", "");
    ProcessBuilder builder = new ProcessBuilder(bin(arguments)).directory(directory.toFile());
    builder.environment().put("KVASIR_JAVA", JAVA_HOME.toString());
    builder.environment().put("KVASIR_OPTIONS", options);
    Process process = builder.redirectErrorStream(true).redirectOutput(out.toFile()).start();
    while (process.isAlive() && !Files.readString(out).contains(printed)) {
      Thread.sleep(20);
    }
    process.destroy();
    return new Outcome(process.waitFor(), Files.readString(out), "");
  }

  /** Runs the embedded engine with the API and the core on its module path. */
  Outcome onModulePath(Path engine, String... arguments) throws Exception {
    return run(Map.of(), modulePath(engine, arguments));
  }

  /** Starts the embedded engine so that it holds the store until its input ends. */
  Process holding(Path engine, String configuration) throws Exception {
    Process process =
        new ProcessBuilder(modulePath(engine, configuration, "hold"))
            .directory(directory.toFile())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    for (String line; (line = process.inputReader().readLine()) != null; ) {
      if (line.startsWith("idle")) {
        return process;
      }
    }
    throw new AssertionError("the engine ended with " + process.waitFor());
  }

  private static List<String> modulePath(Path engine, String... arguments) {
    List<String> command =
        new ArrayList<>(
            List.of(
                JAVA_HOME.resolve("bin/java").toString(),
                "--illegal-native-access=deny",
                // plugins whose libraries are no modules are not in a layer: JNA and JCuda are
                // unnamed
                "--enable-native-access=io.kvasir.core,ALL-UNNAMED",
                "--add-modules=ALL-DEFAULT", // else only what the application requires is there
                "-p",
                String.join(File.pathSeparator, API.toString(), core(), engine.toString()),
                "-m",
                "dev.engine/dev.engine.Main"));
    command.addAll(List.of(arguments));
    return command;
  }

  /** Runs the embedded engine with everything on its class path but plugins. */
  Outcome onClassPath(Path engine, String... arguments) throws Exception {
    return classPath(List.of(API.toString(), core() + "/*", engine.toString()), arguments);
  }

  /** Runs the embedded engine with everything on its class path, the jars of a backend as well. */
  Outcome onClassPath(Path jars, Path engine, String configuration) throws Exception {
    return classPath(
        List.of(API.toString(), core() + "/*", jars + "/*", engine.toString()), configuration);
  }

  private Outcome classPath(List<String> path, String... arguments) throws Exception {
    List<String> command =
        new ArrayList<>(
            List.of(
                JAVA_HOME.resolve("bin/java").toString(),
                "--illegal-native-access=deny",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                String.join(File.pathSeparator, path),
                "dev.engine.Main"));
    command.addAll(List.of(arguments));
    return run(Map.of(), command);
  }

  private static String core() {
    return HOME.resolve("core").toString();
  }

  /** {@return a configuration with this store, beside the distribution's plugins} */
  Path configuration(String name, String store) throws IOException {
    return configuration(name, store, HOME.resolve("plugins"));
  }

  Path configuration(String name, String store, Path plugins) throws IOException {
    return Files.writeString(
        directory.resolve(name),
        """
        {"tenant":"acme","store":%s,"plugins":{"directory":"%s"},
         "weights":{"by":"name","model":"tiny","name":"r7"},
         "connector":{"lookup-deadline":"20s","load-deadline":"20s","save-max-wait":"20s"}}
        """
            .formatted(store, plugins));
  }

  /** {@return a local store's object whose directory lies beside the configuration} */
  static String local(String directory) {
    return "{\"local\":{\"directory\":\"%s\",\"capacity\":\"64MiB\",\"growth\":\"1MiB\",\"keep-free\":\"1MiB\"}}"
        .formatted(directory);
  }

  /** {@return a copy of the distribution's plugins} */
  Path plugins() throws IOException {
    Path from = HOME.resolve("plugins");
    Path to = directory.resolve("plugins");
    try (Stream<Path> all = Files.walk(from)) {
      for (Path file : all.toList()) {
        Files.copy(file, to.resolve(from.relativize(file).toString()));
      }
    }
    return to;
  }

  /** {@return a folder with what is in a zip} */
  Path unpacked(Path zip) throws Exception {
    Path folder = Files.createDirectories(directory.resolve("unpacked"));
    String jar = JAVA_HOME.resolve("bin/jar").toString();
    run(Map.of(), List.of(jar, "--extract", "--dir", folder.toString(), "--file", zip.toString()))
        .good();
    return folder;
  }

  /** {@return a jar of these sources, compiled against the API and other modules} */
  Path jar(Path file, Map<String, String> sources, Map<String, String> services, Path... modules)
      throws IOException {
    Path work = directory.resolve("work-" + file.getFileName());
    String path =
        Stream.concat(Stream.of(API), Stream.of(modules))
            .map(Path::toString)
            .collect(Collectors.joining(File.pathSeparator));
    List<String> arguments =
        new ArrayList<>(List.of("-p", path, "-d", work.resolve("classes").toString()));
    for (Map.Entry<String, String> source : sources.entrySet()) {
      Path java = work.resolve("src").resolve(source.getKey());
      Files.createDirectories(java.getParent());
      Files.writeString(java, source.getValue());
      arguments.add(java.toString());
    }
    tool("javac", arguments);
    Path listed = Files.createDirectories(work.resolve("classes/META-INF/services"));
    for (Map.Entry<String, String> service : services.entrySet()) {
      Files.writeString(listed.resolve(service.getKey()), service.getValue() + "\n");
    }
    Files.createDirectories(file.getParent());
    String classes = work.resolve("classes").toString();
    tool("jar", List.of("--create", "--file", file.toString(), "-C", classes, "."));
    return file;
  }

  private static void tool(String name, List<String> arguments) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    PrintStream print = new PrintStream(bytes, true, StandardCharsets.UTF_8);
    String[] array = arguments.toArray(String[]::new);
    if (ToolProvider.findFirst(name).orElseThrow().run(print, print, array) != 0) {
      throw new AssertionError(
          Arrays.toString(array) + "\n" + bytes.toString(StandardCharsets.UTF_8));
    }
  }

  /** {@return the lines of a text that begin so, without the beginning} */
  static List<String> lines(String text, String beginning) {
    return text.lines()
        .filter(line -> line.startsWith(beginning))
        .map(line -> line.substring(beginning.length()).strip())
        .collect(Collectors.toList());
  }
}
