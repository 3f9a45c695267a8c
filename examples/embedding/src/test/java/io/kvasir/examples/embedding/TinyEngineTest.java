package io.kvasir.examples.embedding;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The programs of the README are those that are compiled, and they do what the README says. */
class TinyEngineTest {
  private static final Path ROOT = Path.of("..", "..");
  private static final int[] PROMPT = IntStream.range(0, 100).toArray();

  @TempDir Path directory;

  @Test
  void theSecondRunTakesThePromptFromTheStore() throws IOException {
    Path configuration = directory.resolve("kvasir.json");
    Files.writeString(configuration, readmeBlock("json", "\"tenant\": \"acme\""));

    assertEquals(0, TinyEngine.run(configuration, PROMPT));
    assertEquals(96, TinyEngine.run(configuration, PROMPT));

    int[] other = PROMPT.clone();
    other[40] = 4711; // in the third block
    assertEquals(32, TinyEngine.run(configuration, other));
  }

  @ParameterizedTest
  @CsvSource({
    "public final class TinyEngine,"
        + "examples/embedding/src/main/java/io/kvasir/examples/embedding/TinyEngine.java",
    "public final class Shelf," + "examples/shelf/src/main/java/io/kvasir/examples/shelf/Shelf.java"
  })
  void theReadmeShowsTheProgramThatIsCompiled(String beginning, String source) throws IOException {
    String program = Files.readString(ROOT.resolve(source));

    assertEquals(program.substring(program.indexOf("import ")), readmeBlock("java", beginning));
  }

  @ParameterizedTest
  @CsvSource({"api,''", "core,runtime"})
  void theReadmeNamesTheArtifactsThatAreBuilt(String module, String scope) throws IOException {
    String pom = Files.readString(ROOT.resolve(module).resolve("pom.xml"));
    String artifact = "<artifactId>kvasir-" + module + "</artifactId>\n";
    assertTrue(pom.contains(artifact), pom);
    String version = pom.substring(pom.indexOf("<version>"), pom.indexOf("</version>") + 10);
    assertTrue(
        readmeBlock("xml", artifact)
            .contains(
                "  <groupId>io.kvasir</groupId>\n  %s  %s\n%s</dependency>"
                    .formatted(
                        artifact,
                        version,
                        scope.isEmpty() ? "" : "  <scope>" + scope + "</scope>\n")),
        version);
  }

  @ParameterizedTest
  @CsvSource({"public final class TinyEngine,30", "public final class Shelf,60"})
  void aProgramOfTheReadmeIsShort(String beginning, int most) throws IOException {
    List<String> code =
        readmeBlock("java", beginning)
            .lines()
            .map(String::strip)
            .filter(l -> !l.isEmpty() && !l.equals("@Override"))
            .filter(l -> !l.startsWith("import ") && !l.startsWith("/*") && !l.startsWith("//"))
            .toList();

    assertTrue(code.size() <= most, () -> code.size() + " lines of code");
  }

  private static String readmeBlock(String language, String holding) throws IOException {
    String readme = Files.readString(ROOT.resolve("README.md"));
    String open = "```" + language.toLowerCase(Locale.ROOT) + "\n";
    int from = readme.indexOf(open);
    while (from >= 0) {
      int end = readme.indexOf("\n```", from + open.length());
      String block = readme.substring(from + open.length(), end + 1);
      if (block.contains(holding)) {
        return block;
      }
      from = readme.indexOf(open, end + 4);
    }
    throw new AssertionError("README.md has no " + language + " with " + holding);
  }
}
