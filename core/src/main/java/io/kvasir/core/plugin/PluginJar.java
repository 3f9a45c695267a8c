package io.kvasir.core.plugin;

import io.kvasir.api.KvasirException;
import java.io.IOException;
import java.lang.module.FindException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;

/**
 * A jar of a plugin, read but not loaded.
 *
 * @param path where it lies
 * @param reference its module, which is automatic if it has no descriptor; empty where it can be
 *     none, as with a name that is no module's
 * @param packages packages of its classes
 * @param services what {@code META-INF/services} lists, by service
 */
record PluginJar(
    Path path,
    Optional<ModuleReference> reference,
    Set<String> packages,
    Map<String, List<String>> services) {
  private static final String SERVICES = "META-INF/services/";

  /** {@return the jars in a folder's {@code lib}, sorted by name} */
  static List<PluginJar> in(Path folder) {
    Path lib = folder.resolve("lib");
    List<Path> jars = List.of();
    if (Files.isDirectory(lib)) {
      try (Stream<Path> files = Files.list(lib)) {
        jars = files.filter(f -> f.toString().endsWith(".jar")).sorted().toList();
      } catch (IOException e) {
        throw new KvasirException("lib: cannot be read: " + e, e);
      }
    }
    if (jars.isEmpty()) {
      throw new KvasirException(
          "there is no jar in its lib; a plugin is plugin.properties and lib");
    }
    return jars.stream().map(PluginJar::read).toList();
  }

  /** {@return the name of the jar as an error shows it} */
  String name() {
    return "lib/" + path.getFileName();
  }

  Optional<ModuleDescriptor> descriptor() {
    return reference.map(ModuleReference::descriptor);
  }

  /** {@return the descriptor that its author wrote} */
  Optional<ModuleDescriptor> explicit() {
    return descriptor().filter(d -> !d.isAutomatic());
  }

  private static PluginJar read(Path path) {
    Set<String> packages = new HashSet<>();
    Map<String, List<String>> services = new HashMap<>();
    try (JarFile jar = new JarFile(path.toFile())) {
      for (JarEntry entry : jar.stream().filter(e -> !e.isDirectory()).toList()) {
        String name = entry.getName();
        if (name.endsWith(".class") && name.contains("/") && !name.startsWith("META-INF/")) {
          packages.add(name.substring(0, name.lastIndexOf('/')).replace('/', '.'));
        } else if (name.startsWith(SERVICES)) {
          services.put(name.substring(SERVICES.length()), providers(jar, entry));
        }
      }
    } catch (IOException e) {
      throw new KvasirException(
          "lib/%s: is no readable jar: %s".formatted(path.getFileName(), e.getMessage()), e);
    }
    return new PluginJar(path, module(path), packages, services);
  }

  private static List<String> providers(JarFile jar, JarEntry entry) throws IOException {
    String text = new String(jar.getInputStream(entry).readAllBytes(), StandardCharsets.UTF_8);
    List<String> out = new ArrayList<>();
    text.lines()
        .map(line -> line.replaceFirst("#.*", "").strip())
        .filter(line -> !line.isEmpty())
        .forEach(out::add);
    return out;
  }

  private static Optional<ModuleReference> module(Path path) {
    try {
      return ModuleFinder.of(path).findAll().stream().findFirst();
    } catch (FindException e) {
      return Optional.empty();
    }
  }
}
