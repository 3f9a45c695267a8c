package io.kvasir.core.plugin;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The application has the API and the core on its class path: there can be no layers. */
class ClassPathTest {
  @TempDir Path temp;
  private Path root;

  @BeforeEach
  void directory() throws IOException {
    root = Files.createDirectory(temp.resolve("plugins"));
  }

  @Test
  void aPluginSeesItselfTheJdkTheApiAndWhatItsDependenciesExport() throws Exception {
    Path z = plugin("z").source("dev.z.inside.Hidden", "public class Hidden {}").folder();
    plugin("a")
        .dependsOn("z")
        .directive("requires dev.z;")
        .compiledWith(z.resolve("lib/z.jar"))
        .folder();
    assertEquals(
        List.of(
            "named false",
            "a STARTED ",
            "z STARTED ",
            "a binds Config[slots=3]",
            "a sees dev.a.P: true",
            "a sees dev.z.P: true",
            "a sees dev.z.inside.Hidden: false",
            "a sees java.sql.Connection: true",
            "a sees com.sun.source.tree.Tree: true",
            "a sees io.kvasir.api.Kvasir: true",
            "a sees io.kvasir.core.RuntimeProvider: false",
            "a sees org.pf4j.Plugin: false",
            "a sees tools.jackson.databind.ObjectMapper: false"),
        run(
                "dev.a.P",
                "dev.z.P",
                "dev.z.inside.Hidden",
                "java.sql.Connection",
                "com.sun.source.tree.Tree",
                "io.kvasir.api.Kvasir",
                "io.kvasir.core.RuntimeProvider",
                "org.pf4j.Plugin",
                "tools.jackson.databind.ObjectMapper")
            .stream()
            .filter(line -> !line.startsWith("z sees") && !line.startsWith("z binds"))
            .toList());
  }

  @Test
  void aPluginIsRefusedByItsDescriptorsAsOnAModulePath() throws Exception {
    plugin("core").directive("requires io.kvasir.core;").folder();
    plugin("differs").services("dev.differs.Other").folder();
    plugin("brings").library(PluginBuilder.moduleJar(temp, "io.kvasir.api")).folder();
    assertEquals(
        List.of(
            "named false",
            "brings FAILED lib/io.kvasir.api.jar: holds io.kvasir.api, which the host supplies;"
                + " leave it out (scope provided)",
            "core FAILED module dev.core requires io.kvasir.core; a plugin may require the JDK,"
                + " io.kvasir.api, modules in its lib, and those of the plugins in its"
                + " plugin.dependencies",
            "differs FAILED lib/differs.jar: module-info provides"
                + " io.kvasir.api.store.StoreProvider with [dev.differs.P], META-INF/services lists"
                + " [dev.differs.Other]; both must say the same"),
        run().stream().toList());
  }

  private PluginBuilder plugin(String id) {
    return new PluginBuilder(root, id);
  }

  private List<String> run(String... types) throws Exception {
    String classPath =
        String.join(
            File.pathSeparator,
            PluginBuilder.hostPath(),
            System.getProperty("java.class.path"),
            Path.of(System.getProperty("basedir"), "target", "test-classes").toString());
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                classPath,
                ClassPathHost.class.getName(),
                root.toString()));
    command.addAll(List.of(types));
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), out);
    return out.lines().toList();
  }
}
