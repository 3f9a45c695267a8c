package io.kvasir.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleDescriptor.Exports;
import java.lang.module.ModuleDescriptor.Requires;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Who knows whom, read from the jars of the distribution. */
class ModuleGraphIT {
  @Test
  void theApiKnowsNobody() {
    assertEquals(Set.of(), ours(module("lib", "io.kvasir.api")));
    assertEquals(Set.of("java.base"), all(module("lib", "io.kvasir.api")));
  }

  @Test
  void theLauncherKnowsTheApiAlone() {
    assertEquals(Set.of("io.kvasir.api", "java.base"), all(module("lib", "io.kvasir.launcher")));
  }

  @Test
  void theBootLayerIsTheApiAndTheLauncher() {
    assertEquals(
        Set.of("io.kvasir.api", "io.kvasir.launcher"),
        ModuleFinder.of(Installed.HOME.resolve("lib")).findAll().stream()
            .map(r -> r.descriptor().name())
            .collect(Collectors.toSet()));
  }

  @Test
  void theCoreKnowsTheApiAlone() {
    assertEquals(Set.of("io.kvasir.api"), ours(module("core", "io.kvasir.core")));
  }

  @Test
  void theCommandLineKnowsTheCoreAndTheKit() {
    assertEquals(
        Set.of("io.kvasir.core", "io.kvasir.conformance"), ours(module("core", "io.kvasir.cli")));
  }

  @Test
  void theKitKnowsTheApiAlone() {
    assertEquals(Set.of("io.kvasir.api"), ours(module("kit", "io.kvasir.conformance")));
  }

  @Test
  void thePluginsKnowTheApiAndAPluginTheyDependOn() throws IOException {
    Set<String> allowed = Set.of("io.kvasir.api", "io.kvasir.cuda");
    for (Path plugin : plugins()) {
      for (ModuleReference reference : ModuleFinder.of(plugin.resolve("lib")).findAll()) {
        if (reference.descriptor().name().startsWith("io.kvasir.")) {
          assertTrue(allowed.containsAll(ours(reference.descriptor())), plugin.toString());
        }
      }
    }
  }

  @Test
  void noPluginBringsTheApiOrTheCore() throws IOException {
    for (Path plugin : plugins()) {
      try (Stream<Path> jars = Files.list(plugin.resolve("lib"))) {
        assertFalse(
            jars.anyMatch(j -> j.getFileName().toString().matches("kvasir-(api|core)-.*")),
            plugin.toString());
      }
    }
  }

  @Test
  void theCoreKnowsNoPluginByName() throws IOException {
    Set<String> found = new TreeSet<>();
    try (JarFile jar =
        new JarFile(
            Installed.HOME.resolve("core/kvasir-core-" + Installed.VERSION + ".jar").toFile())) {
      for (JarEntry entry : jar.stream().filter(e -> e.getName().endsWith(".class")).toList()) {
        String bytes =
            new String(jar.getInputStream(entry).readAllBytes(), StandardCharsets.ISO_8859_1);
        if (bytes.contains("io/kvasir/plugin/") || bytes.contains("io.kvasir.plugin.")) {
          found.add(entry.getName());
        }
      }
    }
    assertEquals(Set.of(), found);
  }

  @Test
  void theCoreProvidesTheSameOnAClassPath() throws IOException {
    Path core = Installed.HOME.resolve("core/kvasir-core-" + Installed.VERSION + ".jar");
    try (JarFile jar = new JarFile(core.toFile())) {
      for (ModuleDescriptor.Provides p : module("core", "io.kvasir.core").provides()) {
        JarEntry listed = jar.getJarEntry("META-INF/services/" + p.service());
        assertTrue(listed != null, p.service());
        String text = new String(jar.getInputStream(listed).readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(p.providers(), text.lines().toList());
      }
    }
  }

  @Test
  void noTypeOfPf4jIsInAnExportedPackageOfTheCore() {
    assertFalse(
        module("core", "io.kvasir.core").exports().stream()
            .map(Exports::source)
            .anyMatch("io.kvasir.core.plugin"::equals));
  }

  private static List<Path> plugins() throws IOException {
    try (Stream<Path> all = Files.list(Installed.HOME.resolve("plugins"))) {
      List<Path> plugins = all.toList();
      assertTrue(plugins.size() >= 3, plugins.toString());
      return plugins;
    }
  }

  private static ModuleDescriptor module(String folder, String name) {
    return ModuleFinder.of(Installed.HOME.resolve(folder)).find(name).orElseThrow().descriptor();
  }

  private static Set<String> ours(ModuleDescriptor module) {
    return all(module).stream().filter(n -> n.startsWith("io.kvasir.")).collect(Collectors.toSet());
  }

  private static Set<String> all(ModuleDescriptor module) {
    return module.requires().stream().map(Requires::name).collect(Collectors.toSet());
  }
}
