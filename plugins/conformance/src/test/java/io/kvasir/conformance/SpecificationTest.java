package io.kvasir.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The specification in {@code docs/spec} and the kit have the same rules. */
class SpecificationTest {
  private static final Path FOLDER = Path.of("../../docs/spec");
  private static final Pattern HEADING = Pattern.compile("### (R-[A-Z]+-[0-9]+): (.+)");
  private static final Pattern TEST = Pattern.compile("- Test: `(\\w+)\\.(\\w+)`");

  /** What the document says of a rule. */
  private record Section(String sentence, List<String> lines) {}

  private static Map<String, Section> document() throws IOException {
    Map<String, Section> out = new TreeMap<>();
    List<Path> files;
    try (Stream<Path> all = Files.list(FOLDER)) {
      files = all.filter(f -> f.toString().endsWith(".md")).sorted().toList();
    }
    for (Path file : files) {
      for (String section : Files.readString(file).split("\n(?=##)", -1)) {
        List<String> lines = section.lines().filter(line -> !line.isBlank()).toList();
        Matcher heading = HEADING.matcher(lines.getFirst());
        if (heading.matches()) {
          Section read = new Section(heading.group(2), lines.subList(1, lines.size()));
          assertEquals(null, out.put(heading.group(1), read), "twice: " + heading.group(1));
        } else {
          assertFalse(section.contains("\n### R-"), section);
        }
      }
    }
    return out;
  }

  /** {@return the test of each rule, by its number} */
  private static Map<String, Method> kit() {
    Map<String, Method> out = new TreeMap<>();
    for (Class<?> contract :
        List.of(
            StoreContract.class,
            TransferPathContract.class,
            IdentityPolicyContract.class,
            ConnectorContract.class)) {
      KitRun.rules(contract)
          .forEach((rule, test) -> assertEquals(null, out.put(rule, test), "two tests of " + rule));
    }
    return out;
  }

  @Test
  void documentAndKitHaveTheSameRulesInTheSameWords() throws IOException {
    Map<String, String> said = new TreeMap<>();
    document().forEach((rule, section) -> said.put(rule, rule + ": " + section.sentence()));
    Map<String, String> tested = new TreeMap<>();
    kit()
        .forEach(
            (rule, method) ->
                tested.put(
                    rule,
                    new RuleNames()
                        .generateDisplayNameForMethod(
                            List.of(), method.getDeclaringClass(), method)));
    assertEquals(tested, said);
    assertTrue(said.size() >= 80, "only " + said.size() + " rules");
  }

  @Test
  void eachRuleSaysWhatMustHoldAndWhyAndNamesItsTest() throws IOException {
    Map<String, Method> kit = kit();
    document()
        .forEach(
            (rule, section) -> {
              List<String> lines = section.lines();
              assertFalse(lines.getFirst().startsWith("- "), rule + " does not say what holds");
              assertEquals(1, count(lines, "- Why: "), rule + " does not say why");
              assertTrue(count(lines, "- Seen at: ") <= 1, rule);
              Matcher test = TEST.matcher(lines.getLast());
              assertTrue(test.matches(), rule + " names no test: " + lines.getLast());
              Method method = kit.get(rule);
              assertEquals(
                  method.getDeclaringClass().getSimpleName() + "." + method.getName(),
                  test.group(1) + "." + test.group(2),
                  rule);
            });
  }

  private static long count(List<String> lines, String beginning) {
    return lines.stream().filter(line -> line.startsWith(beginning)).count();
  }
}
