package io.kvasir.core.plugin;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Compiles a small plugin: one module {@code dev.ID} with a store provider {@code dev.ID.P}, whose
 * store's name is the id.
 */
public final class PluginBuilder {
  private final Path root;
  private final Path work;
  private final String id;
  private final Map<String, String> properties = new LinkedHashMap<>();
  private final List<String> requires = new ArrayList<>();
  private final List<Path> libraries = new ArrayList<>();
  private final List<Path> compiledWith = new ArrayList<>();
  private final Map<String, String> sources = new LinkedHashMap<>();
  private final Map<String, String> more = new LinkedHashMap<>();
  private String providers;

  /** Starts a plugin that will lie under {@code root}; temporary files go beside it. */
  public PluginBuilder(Path root, String id) {
    this.root = root;
    this.work = root.resolveSibling("work-" + id + "-" + System.nanoTime());
    this.id = id;
    this.providers = module() + ".P";
    property("plugin.id", id);
    property("plugin.version", "1.0.0");
    source(
        "P",
        """
        public final class P implements io.kvasir.api.store.StoreProvider {
          public record Config(int slots) {}
          public io.kvasir.api.store.StoreDescriptor descriptor() {
            return io.kvasir.api.store.StoreDescriptor.named("%s").config(Config.class).build();
          }
          public io.kvasir.api.store.Store open(io.kvasir.api.store.StoreContext context) {
            throw new IllegalStateException("slots " + context.configuration(Config.class).slots());
          }
        }
        """
            .formatted(id));
  }

  String module() {
    return "dev." + id;
  }

  /** Sets a line of plugin.properties; null leaves it out. */
  public PluginBuilder property(String name, String value) {
    properties.put(name, value);
    return this;
  }

  PluginBuilder dependsOn(String dependencies) {
    return property("plugin.dependencies", dependencies);
  }

  /** Adds a directive of module-info, as in {@code requires java.sql;}. */
  PluginBuilder directive(String directive) {
    requires.add(directive);
    return this;
  }

  public PluginBuilder source(String name, String body) {
    sources.put(name, body);
    return this;
  }

  /** Says what META-INF/services lists, which need not be what module-info provides. */
  PluginBuilder services(String providers) {
    this.providers = providers;
    return this;
  }

  /** Adds a provider of another service. */
  public PluginBuilder provides(String service, String provider) {
    directive("provides %s with %s.%s;".formatted(service, module(), provider));
    more.put(service, module() + "." + provider);
    return this;
  }

  /** Puts a jar beside the plugin's own. */
  PluginBuilder library(Path jar) {
    libraries.add(jar);
    compiledWith.add(jar);
    return this;
  }

  /** Compiles against a jar that the plugin does not bring. */
  PluginBuilder compiledWith(Path jar) {
    compiledWith.add(jar);
    return this;
  }

  /** {@return the plugin's folder} */
  public Path folder() {
    try {
      Path folder = root.resolve(id);
      Path lib = Files.createDirectories(folder.resolve("lib"));
      Path classes = compile();
      Path services = Files.createDirectories(classes.resolve("META-INF/services"));
      if (!providers.isEmpty()) {
        Files.writeString(services.resolve("io.kvasir.api.store.StoreProvider"), providers + "\n");
      }
      for (Map.Entry<String, String> e : more.entrySet()) {
        Files.writeString(services.resolve(e.getKey()), e.getValue() + "\n");
      }
      jar(lib.resolve(id + ".jar"), classes);
      for (Path library : libraries) {
        Files.copy(library, lib.resolve(library.getFileName()));
      }
      Files.writeString(
          folder.resolve("plugin.properties"),
          properties.entrySet().stream()
              .filter(e -> e.getValue() != null)
              .map(e -> e.getKey() + "=" + e.getValue() + "\n")
              .collect(Collectors.joining()));
      return folder;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** {@return the plugin as a zip} */
  Path zip() {
    Path zip = root.resolve(id + ".zip");
    Path folder = folder();
    jar(zip, folder);
    delete(folder);
    return zip;
  }

  private Path compile() throws IOException {
    Path source = Files.createDirectories(work.resolve("src"));
    List<String> files = new ArrayList<>();
    Path info = source.resolve("module-info.java");
    Files.writeString(
        info,
        "module %s { requires io.kvasir.api; exports %s; %s provides io.kvasir.api.store.StoreProvider with %s.P; }"
            .formatted(module(), module(), String.join(" ", requires), module()));
    files.add(info.toString());
    for (Map.Entry<String, String> e : sources.entrySet()) {
      String name = e.getKey().contains(".") ? e.getKey() : module() + "." + e.getKey();
      Path file = source.resolve(name.replace('.', '/') + ".java");
      Files.createDirectories(file.getParent());
      Files.writeString(
          file, "package " + name.substring(0, name.lastIndexOf('.')) + ";\n" + e.getValue());
      files.add(file.toString());
    }
    return javac(work.resolve("classes"), compiledWith, files);
  }

  /** {@return a jar of one module without code} */
  static Path moduleJar(Path directory, String module) {
    return jar(directory, module, "module " + module + " {}", "module-info");
  }

  /** {@return a jar of one class {@code PACKAGE.L} and no descriptor} */
  static Path plainJar(Path directory, String name, String packageName) {
    return jar(directory, name, "package " + packageName + "; public class L {}", "L");
  }

  private static Path jar(Path directory, String name, String source, String file) {
    try {
      Path work = Files.createDirectories(directory.resolve("work-" + name));
      Path java = Files.writeString(work.resolve(file + ".java"), source);
      Path classes = javac(work.resolve("classes"), List.of(), List.of(java.toString()));
      return jar(directory.resolve(name + ".jar"), classes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Path javac(Path out, List<Path> with, List<String> files) {
    List<String> arguments = new ArrayList<>(List.of("-d", out.toString(), "-p"));
    arguments.add(
        Stream.concat(Stream.of(hostPath()), with.stream().map(Path::toString))
            .collect(Collectors.joining(File.pathSeparator)));
    arguments.addAll(files);
    run("javac", arguments.toArray(String[]::new));
    return out;
  }

  static Path jar(Path file, Path content) {
    run(
        "jar",
        "--create",
        "--no-manifest",
        "--file",
        file.toString(),
        "-C",
        content.toString(),
        ".");
    return file;
  }

  /** {@return what this test runs with: API, core and libraries} */
  static String hostPath() {
    return System.getProperty("jdk.module.path");
  }

  static void delete(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      files.sorted(java.util.Comparator.reverseOrder()).forEach(f -> f.toFile().delete());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void run(String tool, String... arguments) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PrintStream print = new PrintStream(out, true, StandardCharsets.UTF_8);
    int rc = ToolProvider.findFirst(tool).orElseThrow().run(print, print, arguments);
    if (rc != 0) {
      throw new AssertionError(
          tool + " " + Arrays.toString(arguments) + ": " + out.toString(StandardCharsets.UTF_8));
    }
  }
}
