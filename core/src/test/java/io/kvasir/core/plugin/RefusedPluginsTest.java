package io.kvasir.core.plugin;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kvasir.api.PluginStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each refusal names the plugin and says why, in these words, and a sound plugin goes on. */
class RefusedPluginsTest {
  private static final String ALLOWED =
      "; a plugin may require the JDK, io.kvasir.api, modules in its lib, and those of the plugins"
          + " in its plugin.dependencies";

  @TempDir Path temp;
  private Path root;

  @BeforeEach
  void soundPlugin() throws IOException {
    root = Files.createDirectory(temp.resolve("plugins"));
    plugin("sound").folder();
  }

  @ParameterizedTest
  @ValueSource(strings = {"io.kvasir.core", "pf4j", "tools.jackson.databind", "org.slf4j"})
  void aPluginThatRequiresTheCoreOrItsLibraries(String module) {
    plugin("bad").directive("requires " + module + ";").folder();
    refused("bad", "module dev.bad requires " + module + ALLOWED);
  }

  @ParameterizedTest
  @ValueSource(strings = {"io.kvasir.core", "tools.jackson.databind"})
  void aPluginThatReadsAModuleOfTheHostIfItIsThere(String module) {
    plugin("bad").directive("requires static " + module + ";").folder();
    refused(
        "bad",
        "module dev.bad requires static %s, which is the host's; put the jar into the plugin's lib"
            .formatted(module));
  }

  @Test
  void aPluginThatRequiresAModuleThatNobodyHas() {
    Path nowhere = PluginBuilder.moduleJar(temp, "dev.nowhere");
    plugin("bad").directive("requires dev.nowhere;").compiledWith(nowhere).folder();
    refused("bad", "module dev.bad requires dev.nowhere" + ALLOWED);
  }

  @Test
  void aPluginThatRequiresAnotherPluginWhichItDoesNotDeclare() {
    Path other = plugin("other").folder().resolve("lib/other.jar");
    plugin("bad").directive("requires dev.other;").compiledWith(other).folder();
    refused("bad", "module dev.bad requires dev.other" + ALLOWED);
  }

  @Test
  void aPluginThatNeedsAModuleOfTheJdkWhichIsNotResolved() {
    plugin("bad").directive("requires jdk.incubator.vector;").folder();
    refused(
        "bad",
        "module dev.bad requires jdk.incubator.vector, which this JVM has not resolved; start it"
            + " with --add-modules jdk.incubator.vector");
  }

  @Test
  void aPluginThatBringsTheApi() {
    plugin("bad").library(PluginBuilder.moduleJar(temp, "io.kvasir.api")).folder();
    refused(
        "bad",
        "lib/io.kvasir.api.jar: holds io.kvasir.api, which the host supplies; leave it out (scope"
            + " provided)");
  }

  @Test
  void aPluginThatBringsTheApisClassesInAnotherJar() {
    plugin("bad").library(PluginBuilder.plainJar(temp, "shaded", "io.kvasir.api.store")).folder();
    refused(
        "bad",
        "lib/shaded.jar: holds io.kvasir.api, which the host supplies; leave it out (scope"
            + " provided)");
  }

  @Test
  void aPluginWhoseServicesFileDiffersFromItsModuleInfo() {
    plugin("bad").services("dev.bad.Other").folder();
    refused(
        "bad",
        "lib/bad.jar: module-info provides io.kvasir.api.store.StoreProvider with [dev.bad.P],"
            + " META-INF/services lists [dev.bad.Other]; both must say the same");
  }

  @Test
  void aPluginWithoutAServicesFile() {
    plugin("bad").services("").folder();
    refused(
        "bad",
        "lib/bad.jar: module-info provides io.kvasir.api.store.StoreProvider with [dev.bad.P],"
            + " META-INF/services lists []; both must say the same");
  }

  @Test
  void aPluginOfAnotherApi() {
    plugin("bad").property("plugin.requires", ">=2.0.0 & <3.0.0").folder();
    refused("bad", "needs the Kvasir API >=2.0.0 & <3.0.0, and this is 1.2.0");
  }

  @Test
  void aPluginOfAnApiThatNobodyCanRead() {
    plugin("bad").property("plugin.requires", "two or so").folder();
    refused(
        "bad",
        "plugin.properties: plugin.requires \"two or so\" is not understood; write a range such as"
            + " >=0.1.0 & <0.2.0");
  }

  @Test
  void aPluginWhoseDependencyIsNotThere() {
    plugin("bad").dependsOn("nope@>=1.0.0").folder();
    refused("bad", "needs the plugin \"nope\" >=1.0.0, which is not there");
  }

  @Test
  void aPluginWhoseDependencyIsOfAnotherVersion() {
    plugin("bad").dependsOn("sound@>=2.0.0").folder();
    refused("bad", "needs the plugin \"sound\" >=2.0.0, and 1.0.0 is there");
  }

  @Test
  void aPluginWhoseDependencyCouldNotBeLoaded() throws IOException {
    Files.writeString(plugin("lost").folder().resolve("plugin.properties"), "plugin.id=lost\n");
    plugin("bad").dependsOn("lost").folder();
    refused("bad", "needs the plugin \"lost\", which has failed");
  }

  @Test
  void aPluginWhoseDependencyWantsAnotherApi() {
    plugin("lost").property("plugin.requires", ">=2.0.0").folder();
    plugin("bad").dependsOn("lost").folder();
    refused("bad", "needs the plugin \"lost\", which has failed");
  }

  @Test
  void aPluginWhoseDependencyDoesNotStart() {
    plugin("lost").directive("requires pf4j;").folder();
    plugin("bad").dependsOn("lost").folder();
    refused("bad", "needs the plugin \"lost\", which has failed");
  }

  @Test
  void aPluginWhoseDependencyIsDisabled() {
    plugin("off").folder();
    plugin("bad").dependsOn("off").folder();
    refused("bad", "needs the plugin \"off\", which is disabled");
  }

  @Test
  void pluginsThatNeedEachOther() {
    plugin("a").dependsOn("b").folder();
    plugin("b").dependsOn("c").folder();
    plugin("c").dependsOn("a").folder();
    refused("a", "needs itself: a needs b needs c needs a");
    refused("b", "needs the plugin \"c\", which has failed");
    refused("c", "needs the plugin \"a\", which has failed");
  }

  @Test
  void aFolderWithoutPluginProperties() throws IOException {
    Files.createDirectories(root.resolve("bad/lib"));
    refused("bad", "holds no plugin.properties; it is no plugin");
  }

  @Test
  void aFolderWithoutAJar() throws IOException {
    Path folder = plugin("bad").folder();
    Files.delete(folder.resolve("lib/bad.jar"));
    refused("bad", "there is no jar in its lib; a plugin is plugin.properties and lib");
  }

  @ParameterizedTest
  @CsvSource({
    "plugin.id, Bad One, plugin.id \"Bad One\" is not an id; write a-z 0-9 . _ and -",
    "plugin.version, one, plugin.version \"one\" is not a version; write one such as 1.0.0",
    "plugin.version, ${project.version}, plugin.version \"${project.version}\" is not a version;"
        + " write one such as 1.0.0"
  })
  void aPluginWhoseIdOrVersionIsNone(String key, String value, String message) {
    plugin("bad").property(key, value).folder();
    refused("bad", "plugin.properties: " + message);
  }

  @Test
  void twoPluginsWithOneId() throws IOException {
    plugin("a").property("plugin.id", "bad").folder();
    plugin("b").property("plugin.id", "bad").folder();
    refused("bad", "two plugins have this id, a and b; remove one");
  }

  @Test
  void aZipThatIsNone() throws IOException {
    Files.writeString(root.resolve("bad.zip"), "not a zip");
    refused("bad.zip", "is no readable zip: zip END header not found");
  }

  @Test
  void aZipThatIsCutShort() throws IOException {
    Path zip = plugin("bad").zip();
    byte[] bytes = Files.readAllBytes(zip);
    Files.write(zip, java.util.Arrays.copyOf(bytes, bytes.length - 30));
    refused("bad.zip", "is no readable zip: zip END header not found");
  }

  @Test
  void aZipThatWritesElsewhere() throws IOException {
    try (var zip =
        new java.util.zip.ZipOutputStream(Files.newOutputStream(root.resolve("bad.zip")))) {
      zip.putNextEntry(new java.util.zip.ZipEntry("../../escaped"));
      zip.write(1);
    }
    assertEquals(
        "is no readable zip: Entry '../../escaped' is attempting to write outside the target"
            + " directory:",
        reasons().get("bad.zip").replaceFirst(":[^:]*$", ":"));
  }

  @Test
  void aJarThatIsNone() throws IOException {
    Path folder = plugin("bad").folder();
    Files.writeString(folder.resolve("lib/broken.jar"), "not a jar");
    refused("bad", "lib/broken.jar: is no readable jar: zip END header not found");
  }

  @Test
  void nativeAccessForAModuleThatThePluginDoesNotHold() {
    plugin("bad").property("kvasir.native-access", "com.sun.jna").folder();
    refused(
        "bad",
        "kvasir.native-access in plugin.properties: it holds no module com.sun.jna; its modules are"
            + " [dev.bad]");
  }

  @Test
  void twoJarsOfOneModule() throws IOException {
    Path folder = plugin("bad").folder();
    Files.copy(folder.resolve("lib/bad.jar"), folder.resolve("lib/copy.jar"));
    refused("bad", "lib/bad.jar and lib/copy.jar are both the module dev.bad; remove one");
  }

  @Test
  void aProviderWhoseClassCannotBeLoaded() throws IOException {
    Path gone = PluginBuilder.plainJar(temp, "gone", "dev.gone");
    plugin("bad")
        .source(
            "P",
            """
            public final class P extends dev.gone.L implements io.kvasir.api.store.StoreProvider {
              public io.kvasir.api.store.StoreDescriptor descriptor() { return null; }
              public io.kvasir.api.store.Store open(io.kvasir.api.store.StoreContext c) {
                return null;
              }
            }
            """)
        .directive("requires static gone;")
        .compiledWith(gone)
        .folder();
    refused(
        "bad",
        "io.kvasir.api.store.StoreProvider: Unable to load dev.bad.P:"
            + " java.lang.NoClassDefFoundError: dev/gone/L");
  }

  private PluginBuilder plugin(String id) {
    return new PluginBuilder(root, id);
  }

  private void refused(String id, String message) {
    assertEquals(message, reasons().get(id));
  }

  private Map<String, String> reasons() {
    try (Plugins plugins = Plugins.start(root, Set.of("off"), "1.2.0")) {
      assertEquals(
          PluginStatus.State.STARTED,
          plugins.statuses().stream()
              .filter(p -> p.id().equals("sound"))
              .findFirst()
              .orElseThrow()
              .state());
      return plugins.statuses().stream()
          .filter(p -> p.state() == PluginStatus.State.FAILED)
          .collect(Collectors.toMap(PluginStatus::id, PluginStatus::detail));
    }
  }
}
