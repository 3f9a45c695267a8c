package io.kvasir.core.plugin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.api.KvasirException;
import io.kvasir.api.PluginStatus;
import io.kvasir.api.store.StoreProvider;
import io.kvasir.core.config.ConfigValue;
import io.kvasir.core.config.RecordBinder;
import java.io.IOException;
import java.lang.module.ModuleDescriptor.Exports;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The core runs as a named module here, beside JUnit: the shape embedded on a module path. */
class PluginsTest {
  @TempDir Path temp;
  private Path root;
  private Plugins plugins;

  @BeforeEach
  void directory() throws IOException {
    root = Files.createDirectory(temp.resolve("plugins"));
  }

  @AfterEach
  void close() {
    if (plugins != null) {
      plugins.close();
    }
  }

  @Test
  void thisTestRunsOnAModulePath() {
    assertEquals("io.kvasir.core", Plugins.class.getModule().getName());
    assertEquals("io.kvasir.api", StoreProvider.class.getModule().getName());
  }

  @Test
  void theListOfApiPackagesIsWhatTheApiExports() {
    assertEquals(
        StoreProvider.class.getModule().getDescriptor().exports().stream()
            .map(Exports::source)
            .collect(Collectors.toSet()),
        HostModules.API_PACKAGES);
  }

  @Test
  void everyPluginHasALayerOfItsOwn() {
    plugin("one").folder();
    plugin("two").folder();
    start();
    assertEquals(Map.of("one", "", "two", ""), started());
    ModuleLayer one = provider("one").getClass().getModule().getLayer();
    ModuleLayer two = provider("two").getClass().getModule().getLayer();
    assertNotSame(one, two);
    assertEquals(Set.of("dev.one"), names(one));
  }

  @Test
  void aZipRunsAsAFolderDoesAndTheDirectoryStaysAsItWas() throws IOException {
    plugin("zipped").zip();
    start();
    assertEquals(Map.of("zipped", ""), started());
    assertEquals("zipped", provider("zipped").descriptor().name());
    try (Stream<Path> files = Files.list(root)) {
      assertEquals(List.of(root.resolve("zipped.zip")), files.toList());
    }
  }

  @Test
  void whatWasUnpackedIsGoneAfterTheClose() {
    plugin("zipped").zip();
    start();
    Path jar = Path.of(code("zipped").getURLs()[0].getPath());
    assertTrue(Files.exists(jar));
    plugins.close();
    assertFalse(Files.exists(jar.getParent().getParent().getParent()));
  }

  @Test
  void stopReachesEveryPlugin() {
    List.of("a", "b", "c", "d").forEach(id -> plugin(id).folder());
    PluginHost host = new PluginHost(List.of(root), Set.of(), "1.0.0");
    host.loadPlugins();
    host.startPlugins();
    assertEquals(4, host.getStartedPlugins().size());
    host.stopPlugins();
    assertEquals(List.of(), host.getStartedPlugins());
    host.unloadPlugins();
  }

  @Test
  void aClosedPluginHoldsNoJarOpen() throws IOException {
    plugin("one").folder();
    start();
    assertEquals("one", provider("one").descriptor().name());
    plugins.close();
    assertEquals(List.of(), plugins.services(StoreProvider.class));
    Path descriptors = Path.of("/proc/self/fd");
    if (Files.isDirectory(descriptors)) {
      try (Stream<Path> open = Files.list(descriptors)) {
        assertEquals(
            List.of(),
            open.map(PluginsTest::target).filter(t -> t.startsWith(root.toString())).toList());
      }
    }
  }

  @Test
  void aDisabledPluginIsListedAndNotLoaded() {
    plugin("off").folder();
    plugins = Plugins.start(root, Set.of("off"), "1.0.0");
    assertEquals(
        List.of(
            new PluginStatus(
                "off", "1.0.0", PluginStatus.State.DISABLED, "the configuration leaves it out")),
        plugins.statuses());
    assertEquals(List.of(), plugins.services(StoreProvider.class));
  }

  @Test
  void aDisabledPluginNeedsNothing() {
    plugin("off").dependsOn("nope").folder();
    plugins = Plugins.start(root, Set.of("off"), "1.0.0");
    assertEquals(
        List.of(PluginStatus.State.DISABLED),
        plugins.statuses().stream().map(PluginStatus::state).toList());
  }

  @Test
  void ofTwoPluginsWithOneIdNeitherStarts() {
    plugin("a").property("plugin.id", "twin").folder();
    plugin("b").property("plugin.id", "twin").folder();
    start();
    assertEquals(Map.of(), started());
    assertEquals(1, plugins.statuses().size());
  }

  @Test
  void aDisabledPluginIsNotStartedByAnotherThatCanUseIt() {
    plugin("off").folder();
    plugin("user").dependsOn("off?").folder();
    plugins = Plugins.start(root, Set.of("off"), "1.0.0");
    assertEquals(Map.of("user", ""), started());
  }

  @Test
  void aPluginSeesWhatItsDependencyExportsAndNothingElseOfIt() {
    Path z =
        plugin("z")
            .source("dev.z.inside.Hidden", "public class Hidden {}")
            .source("dev.z.friends.Hidden", "public class Hidden {}")
            .directive("exports dev.z.friends to dev.friend;")
            .folder();
    plugin("a")
        .dependsOn("z@>=1.0.0")
        .directive("requires dev.z;")
        .compiledWith(z.resolve("lib/z.jar"))
        .folder();
    start();
    ClassLoader a = code("a");
    assertEquals("dev.z.P", load(a, "dev.z.P"));
    hidden(a, "dev.z.inside.Hidden");
    hidden(a, "dev.z.friends.Hidden");
    assertEquals(
        List.of("a", "z"), // each once: what z provides is not a's
        plugins.services(StoreProvider.class).stream().map(p -> p.descriptor().name()).toList());
  }

  @Test
  void anOptionalDependencyStartsFirstAndIsRead() {
    Path z = plugin("z").folder();
    plugin("a")
        .dependsOn("z?")
        .directive("requires static dev.z;")
        .compiledWith(z.resolve("lib/z.jar"))
        .folder();
    start();
    Module module = provider("z").getClass().getModule();
    assertTrue(provider("a").getClass().getModule().canRead(module));
  }

  @Test
  void anOptionalDependencyThatIsNotThereIsNoError() {
    Path z = plugin("z").folder();
    plugin("a")
        .dependsOn("z?")
        .directive("requires static dev.z;")
        .compiledWith(z.resolve("lib/z.jar"))
        .folder();
    PluginBuilder.delete(z);
    start();
    assertEquals(Map.of("a", ""), started());
  }

  @Test
  void anOptionalDependencyThatFailsIsNoError() {
    plugin("z").directive("requires pf4j;").folder();
    plugin("a").dependsOn("z?").folder();
    start();
    assertEquals(Map.of("a", ""), started());
  }

  @Test
  void optionalDependenciesMayFormACircle() {
    plugin("a").dependsOn("b?").folder();
    plugin("b").dependsOn("a?").folder();
    start();
    assertEquals(Map.of("a", "", "b", ""), started());
  }

  @Test
  void aPluginMayHaveTheOptionThatNeedsIt() {
    plugin("a").dependsOn("b?").folder();
    plugin("b").dependsOn("c").folder();
    plugin("c").dependsOn("a").folder();
    start();
    assertEquals(Map.of("a", "", "b", "", "c", ""), started());
  }

  @Test
  void aPluginMayRequireTheJdkAndReadWhatNobodyHas() {
    plugin("fine")
        .directive("requires java.sql; requires static org.jspecify;")
        .compiledWith(PluginBuilder.moduleJar(temp, "org.jspecify"))
        .folder();
    start();
    assertEquals(Map.of("fine", ""), started());
  }

  @Test
  void aPluginsOwnLibraryWinsOverTheHosts() {
    plugin("own").library(PluginBuilder.moduleJar(temp, "tools.jackson.databind")).folder();
    start();
    assertEquals(Map.of("own", ""), started());
    assertEquals(
        Set.of("dev.own", "tools.jackson.databind"),
        names(provider("own").getClass().getModule().getLayer()));
  }

  @Test
  void theRecordOfAPluginIsBoundAlthoughNothingOpensIt() {
    plugin("one").source("dev.one.inside.Config", "public record Config(int slots) {}").folder();
    start();
    Class<?> inside = type(code("one"), "dev.one.inside.Config");
    ConfigValue value = new ConfigValue("k.json", temp, "store.one", Map.of("slots", 3));
    assertThrows(
        KvasirException.class,
        () -> new RecordBinder().bind(value, inside.asSubclass(Record.class)));
    assertEquals(
        "Config[slots=3]",
        new RecordBinder(plugins::openToCore)
            .bind(value, inside.asSubclass(Record.class))
            .toString());
  }

  @Test
  void nativeAccessIsForTheModulesThatAskForIt() {
    plugin("quiet").folder();
    Path lib = PluginBuilder.moduleJar(temp, "dev.lib");
    plugin("loud").library(lib).property("kvasir.native-access", "dev.loud").folder();
    start();
    ModuleLayer loud = provider("loud").getClass().getModule().getLayer();
    assertTrue(loud.findModule("dev.loud").orElseThrow().isNativeAccessEnabled());
    assertFalse(loud.findModule("dev.lib").orElseThrow().isNativeAccessEnabled());
    assertFalse(provider("quiet").getClass().getModule().isNativeAccessEnabled());
  }

  @Test
  void nativesLieInThePluginsFolder() throws IOException {
    Path folder = plugin("one").folder();
    Path library =
        Files.createDirectories(folder.resolve("native")).resolve(System.mapLibraryName("x"));
    Files.writeString(library, "");
    start();
    assertEquals(library.toAbsolutePath().toString(), code("one").findLibrary("x"));
    assertNull(code("one").findLibrary("y"));
  }

  @Test
  void aPluginWithAnAutomaticModuleIsIsolatedAndSoAreItsDependents() throws IOException {
    Path z =
        plugin("zauto").library(PluginBuilder.plainJar(temp, "some-lib-1.0", "some.lib")).folder();
    plugin("user")
        .dependsOn("zauto")
        .directive("requires dev.zauto;")
        .compiledWith(z.resolve("lib/zauto.jar"))
        .folder();
    start();
    assertEquals(Map.of("zauto", "", "user", ""), started());
    assertNull(code("zauto").layer());
    assertNull(code("user").layer());
    assertEquals("some.lib.L", load(code("zauto"), "some.lib.L"));
    assertEquals("dev.zauto.P", load(code("user"), "dev.zauto.P"));
    hidden(code("user"), "some.lib.L");
    seesTheJdkAndTheApiAlone(code("user"));
    seesTheJdkAndTheApiAlone(code("zauto"));
  }

  @Test
  void anAutomaticModuleOfADependencyIsNotOffered() {
    Path lib = PluginBuilder.plainJar(temp, "some-lib-1.0", "some.lib");
    plugin("zauto").library(lib).folder();
    plugin("user").dependsOn("zauto").directive("requires some.lib;").compiledWith(lib).folder();
    start();
    assertEquals(Map.of("zauto", ""), started());
  }

  @Test
  void aPluginInALayerSeesTheJdkAndTheApiAlone() throws IOException {
    plugin("one").folder();
    start();
    seesTheJdkAndTheApiAlone(code("one"));
  }

  private static void seesTheJdkAndTheApiAlone(ClassLoader loader) throws IOException {
    assertEquals("java.sql.Connection", load(loader, "java.sql.Connection"));
    assertEquals("com.sun.source.tree.Tree", load(loader, "com.sun.source.tree.Tree"));
    assertEquals(StoreProvider.class, type(loader, StoreProvider.class.getName()));
    hidden(loader, Plugins.class.getName());
    hidden(loader, "io.kvasir.core.RuntimeProvider");
    hidden(loader, "org.pf4j.Plugin");
    hidden(loader, "tools.jackson.databind.ObjectMapper");
    hidden(loader, "org.junit.jupiter.api.Test");
    assertNull(loader.getResource("META-INF/services/io.kvasir.api.KvasirProvider"));
    assertEquals(
        List.of(),
        Collections.list(loader.getResources("META-INF/services/io.kvasir.api.KvasirProvider")));
  }

  private PluginBuilder plugin(String id) {
    return new PluginBuilder(root, id);
  }

  private void start() {
    plugins = Plugins.start(root, Set.of(), "1.0.0");
  }

  private Map<String, String> started() {
    return plugins.statuses().stream()
        .filter(p -> p.state() == PluginStatus.State.STARTED)
        .collect(Collectors.toMap(PluginStatus::id, PluginStatus::detail));
  }

  private StoreProvider provider(String name) {
    return plugins.services(StoreProvider.class).stream()
        .filter(p -> p.descriptor().name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private PluginCode code(String name) {
    return (PluginCode) provider(name).getClass().getClassLoader();
  }

  private static Set<String> names(ModuleLayer layer) {
    return layer.modules().stream().map(Module::getName).collect(Collectors.toSet());
  }

  private static String load(ClassLoader loader, String name) {
    return type(loader, name).getName();
  }

  private static Class<?> type(ClassLoader loader, String name) {
    try {
      return Class.forName(name, false, loader);
    } catch (ClassNotFoundException e) {
      throw new AssertionError(e);
    }
  }

  private static void hidden(ClassLoader loader, String name) {
    assertThrows(ClassNotFoundException.class, () -> Class.forName(name, false, loader), name);
  }

  private static String target(Path link) {
    try {
      return Files.readSymbolicLink(link).toString();
    } catch (IOException e) {
      return "";
    }
  }
}
