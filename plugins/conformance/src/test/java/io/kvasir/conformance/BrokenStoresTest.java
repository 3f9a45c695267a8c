package io.kvasir.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** The kit itself is tested with broken backends: each is caught by the rule that it breaks. */
class BrokenStoresTest {
  private static final Map<String, Method> RULES = rules();

  private static Map<String, Method> rules() {
    Map<String, Method> out = new TreeMap<>();
    for (Method method : StoreContract.class.getMethods()) {
      Rule rule = method.getAnnotation(Rule.class);
      if (rule != null && out.put(rule.value(), method) != null) {
        throw new AssertionError("two tests of " + rule.value());
      }
    }
    return out;
  }

  @Test
  void backendWithoutAFlawPassesEveryRule() {
    assertEquals(Set.of(), failing(Flaw.NONE, List.of(selectClass(FlawedStoreContract.class))));
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void flawIsCaughtByTheRuleThatItBreaks(Flaw flaw) {
    List<DiscoverySelector> selectors = new ArrayList<>();
    for (String rule : flaw.rules()) {
      selectors.add(selectMethod(FlawedStoreContract.class, RULES.get(rule).getName()));
    }
    assertEquals(new TreeSet<>(flaw.rules()), failing(flaw, selectors));
  }

  @Test
  void everyRuleCatchesAFlaw() {
    Set<String> caught = new TreeSet<>();
    Arrays.stream(Flaw.values()).forEach(f -> caught.addAll(f.rules()));
    Set<String> all = new TreeSet<>(RULES.keySet());
    all.remove("R-STATUS-5"); // held by the API, where a backend cannot break it
    assertEquals(all, caught);
    assertTrue(RULES.size() > 40);
  }

  @Test
  void failingHistoryIsShrunkToWhatItNeeds() {
    String message =
        failures(
                Flaw.REMEMBERS_THE_REMOVED,
                List.of(selectMethod(FlawedStoreContract.class, RULES.get("R-MODEL-1").getName())))
            .get("R-MODEL-1")
            .getMessage();
    List<String> needed = message.lines().filter(line -> line.matches("  \\d+\\. .*")).toList();
    assertTrue(message.contains("seed " + Seed.value()), message);
    assertEquals(2, needed.size(), message); // a removal of what is absent, and a save
    assertTrue(needed.getFirst().contains("remove "), message);
    assertTrue(needed.getLast().contains("save "), message);
  }

  /** {@return the rules that a backend with this flaw fails} */
  private static Set<String> failing(Flaw flaw, List<? extends DiscoverySelector> selectors) {
    return failures(flaw, selectors).keySet();
  }

  private static Map<String, Throwable> failures(
      Flaw flaw, List<? extends DiscoverySelector> selectors) {
    FlawedStoreContract.flaw = flaw;
    Map<String, Throwable> failed = new TreeMap<>();
    TestExecutionListener listener =
        new TestExecutionListener() {
          @Override
          public void executionFinished(TestIdentifier test, TestExecutionResult result) {
            if (result.getStatus() == TestExecutionResult.Status.FAILED) {
              failed.put(
                  test.getSource()
                      .filter(MethodSource.class::isInstance)
                      .map(s -> ((MethodSource) s).getJavaMethod().getAnnotation(Rule.class))
                      .map(Rule::value)
                      .orElse(test.getDisplayName()),
                  result.getThrowable().orElseThrow());
            }
          }
        };
    Launcher launcher = LauncherFactory.create();
    launcher.execute(
        LauncherDiscoveryRequestBuilder.request().selectors(selectors).build(), listener);
    FlawedStoreContract.flaw = Flaw.NONE;
    return failed;
  }
}
