package io.kvasir.core.format;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.kvasir.api.EngineSpec;
import io.kvasir.api.format.FormatException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The README's table of the settings for the resolver {@code hf} is what the resolver knows. */
class HfReferenceTest {
  private static final String TABLE = "| setting for `hf` | what it says |\n|---|---|\n";

  @Test
  void theReadmeListsEverySettingAndNoOther() throws IOException {
    EngineSpec unknown =
        EngineSpec.builder().engine("mine").blockTokens(16).setting("none", 1).build();
    String message =
        assertThrows(FormatException.class, () -> new HfResolver().resolve(unknown)).getMessage();
    String known = message.substring(message.indexOf("which knows ") + "which knows ".length());

    String readme = Files.readString(Path.of("..", "README.md"));
    int from = readme.indexOf(TABLE) + TABLE.length();
    String table = readme.substring(from, readme.indexOf("\n\n", from));
    TreeSet<String> listed = new TreeSet<>();
    for (String row : table.split("\n", -1)) {
      Pattern.compile("`([a-z_]+)`")
          .matcher(row.substring(0, row.indexOf('|', 1)))
          .results()
          .map((MatchResult name) -> name.group(1))
          .forEach(listed::add);
    }
    assertEquals(List.of(known.split(", ", -1)), List.copyOf(listed));
  }
}
