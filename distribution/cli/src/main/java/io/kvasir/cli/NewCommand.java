package io.kvasir.cli;

import io.kvasir.core.Version;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code kvasir new}: the project of a backend, as the example {@code shelf} is one. */
@Command(
    name = "new",
    description = "Writes the project of a backend that keeps the contract: change it from there.")
final class NewCommand implements Callable<Integer> {
  private static final String SHELF = "io.kvasir.examples.shelf";
  private static final String SHELF_FOLDER = SHELF.replace('.', '/');

  /** What of the example goes into the project, where it lies in {@code src}. */
  private static final List<String> SOURCES =
      List.of(
          "main/java/module-info.java",
          "main/java/" + SHELF_FOLDER + "/Shelf.java",
          "main/java/" + SHELF_FOLDER + "/package-info.java",
          "main/plugin/plugin.properties",
          "main/resources/META-INF/services/io.kvasir.api.store.StoreProvider",
          "test/java/" + SHELF_FOLDER + "/ShelfContractTest.java");

  @Mixin private Common common;

  @Parameters(paramLabel = "DIRECTORY", description = "The project's folder; it must not be there.")
  private Path directory;

  @Option(
      names = "--name",
      paramLabel = "NAME",
      description = "The backend's name in a configuration; that of the folder unless given.")
  private String name;

  @Option(
      names = "--package",
      paramLabel = "PACKAGE",
      description = "Its Java package and its Maven group; dev.example.NAME unless given.")
  private String javaPackage;

  NewCommand() {}

  @Override
  public Integer call() throws IOException {
    if (name == null) {
      name = directory.toAbsolutePath().normalize().getFileName().toString();
    }
    if (!name.matches("[a-z][a-z0-9-]{0,31}")) {
      throw common.wrong(
          "\""
              + name
              + "\": a backend's name is 1 to 32 of a-z, 0-9 and -, a letter first; give --name");
    }
    if (javaPackage == null) {
      javaPackage = "dev.example." + name.replace("-", "");
    }
    if (!javaPackage.matches("[a-z][a-z0-9_]*(\\.[a-z][a-z0-9_]*)+")) {
      throw common.wrong("--package: \"" + javaPackage + "\": write one such as dev.example.store");
    }
    if (Files.exists(directory)) {
      throw common.wrong(directory + " is there already; name a folder that is not");
    }
    Map<String, String> files = files();
    for (Map.Entry<String, String> file : files.entrySet()) {
      Path path = directory.resolve(file.getKey());
      Files.createDirectories(path.getParent());
      Files.writeString(path, file.getValue());
    }
    Output output = common.output();
    output.value(Map.of("directory", directory.toString(), "files", List.copyOf(files.keySet())));
    output.line("%s: %d files".formatted(directory, files.size()));
    output.line("mvn verify builds it and runs the kit");
    return ExitCode.OK;
  }

  private Map<String, String> files() throws IOException {
    Map<String, String> out = new LinkedHashMap<>();
    out.put("pom.xml", read("pom.xml").replace("@version@", Version.current()));
    out.put("verify.json", read("verify.json"));
    for (String source : SOURCES) {
      out.put("src/" + source, read("shelf/" + source));
    }
    Map<String, String> own = new LinkedHashMap<>();
    out.forEach((path, text) -> own.put(named(path), named(text)));
    return own;
  }

  private static String read(String file) throws IOException {
    try (InputStream in = NewCommand.class.getResourceAsStream("template/" + file)) {
      if (in == null) {
        throw new IOException("template/" + file + " is not in this distribution");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  /** {@return the text with the names of this backend in place of the example's} */
  private String named(String text) {
    String type =
        Arrays.stream(name.split("-", -1))
            .filter(word -> !word.isEmpty())
            .map(word -> word.substring(0, 1).toUpperCase(Locale.ROOT) + word.substring(1))
            .collect(Collectors.joining());
    String out = text;
    for (String[] change :
        Stream.of(
                new String[] {SHELF_FOLDER, javaPackage.replace('.', '/')},
                new String[] {SHELF, javaPackage},
                new String[] {"The backend of the README", "A backend"},
                new String[] {": the example of the README", ""},
                new String[] {"=io.kvasir\n", "=" + javaPackage + "\n"},
                new String[] {"plugin.id=shelf", "plugin.id=" + name},
                new String[] {"\"shelf\"", "\"" + name + "\""},
                new String[] {"Shelf", type},
                new String[] {"@name@", name},
                new String[] {"@package@", javaPackage})
            .toList()) {
      out = out.replace(change[0], change[1]);
    }
    return out;
  }
}
