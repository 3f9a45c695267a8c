package io.kvasir.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class NewCommandTest {
  @TempDir Path temp;
  private final StringWriter err = new StringWriter();

  private int run(String... arguments) {
    CommandLine line = Main.commandLine();
    line.setOut(new PrintWriter(new StringWriter()));
    line.setErr(new PrintWriter(err, true));
    return line.execute(arguments);
  }

  @Test
  void theProjectHasNoNameOfTheExampleLeft() throws IOException {
    Path project = temp.resolve("deep/blue-ocean");
    assertEquals(0, run("new", project.toString()), err.toString());
    Set<String> files;
    try (Stream<Path> all = Files.walk(project)) {
      files =
          all.filter(Files::isRegularFile)
              .map(file -> project.relativize(file).toString())
              .collect(Collectors.toSet());
    }
    assertEquals(
        Set.of(
            "pom.xml",
            "verify.json",
            "src/main/java/module-info.java",
            "src/main/java/dev/example/blueocean/BlueOcean.java",
            "src/main/java/dev/example/blueocean/package-info.java",
            "src/main/plugin/plugin.properties",
            "src/main/resources/META-INF/services/io.kvasir.api.store.StoreProvider",
            "src/test/java/dev/example/blueocean/BlueOceanContractTest.java"),
        files);
    for (String file : files) {
      String text = Files.readString(project.resolve(file));
      assertFalse(text.matches("(?is).*(shelf|README|@\\w+@).*"), file + ":\n" + text);
    }
    String pom = Files.readString(project.resolve("pom.xml"));
    assertTrue(pom.contains("<groupId>dev.example.blueocean</groupId>"), pom);
    assertTrue(Files.readString(project.resolve("verify.json")).contains("{\"blue-ocean\":"));
  }

  @ParameterizedTest
  @CsvSource({
    "Upper, dev.example.x, a backend's name is",
    "fine, Dev, write one such as dev.example.store",
    "9lives, dev.example.x, a backend's name is"
  })
  void aNameThatCannotBeIsRefused(String folder, String javaPackage, String message) {
    assertEquals(2, run("new", temp.resolve(folder).toString(), "--package", javaPackage));
    assertTrue(err.toString().contains(message), err.toString());
  }

  @Test
  void whatIsThereIsNotWrittenOver() {
    assertEquals(2, run("new", temp.toString(), "--name", "store"));
    assertTrue(err.toString().contains("is there already"), err.toString());
  }
}
