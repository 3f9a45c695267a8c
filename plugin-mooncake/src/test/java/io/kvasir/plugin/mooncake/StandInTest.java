package io.kvasir.plugin.mooncake;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Runs the C test of the stand-in for Mooncake's library, or of the real one where {@code
 * MOONCAKE_STORE_LIBRARY} and {@code KVASIR_MOONCAKE_MASTER} name it: one test per row of the
 * tables. {@code src/test/c/README.md} says more.
 */
class StandInTest {
  @TestFactory
  List<DynamicTest> eachRowOfTheTablesHolds() throws IOException, InterruptedException {
    Path program = Path.of("target", "standin", "standin_test").toAbsolutePath();
    Process process = new ProcessBuilder(program.toString()).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    int code = process.waitFor();

    List<String> rows =
        output.lines().filter(line -> line.matches("(ok|FAILED|skipped) \\w+.*")).toList();
    assertTrue(rows.size() > 10, () -> program + " ended with " + code + ":\n" + output);
    assertEquals(rows.stream().anyMatch(row -> row.startsWith("FAILED")) ? 1 : 0, code, output);
    return rows.stream().map(row -> test(row.split(" ", 2), output)).toList();
  }

  private static DynamicTest test(String[] row, String output) {
    return DynamicTest.dynamicTest(
        row[1],
        () -> {
          assumeFalse(row[0].equals("skipped"), output);
          assertEquals("ok", row[0], output);
        });
  }
}
