package io.kvasir.core.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import io.kvasir.conformance.ConnectorContract;
import io.kvasir.conformance.Rule;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Each rule on connectors catches a connector that breaks it. */
class BrokenConnectorsTest {
  @AfterEach
  void mend() {
    FlawedConnectorContract.flaw = FlawedConnector.Flaw.NONE;
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void flawIsCaughtByTheRuleThatItBreaks(FlawedConnector.Flaw flaw) {
    FlawedConnectorContract.flaw = flaw;
    assertEquals(Set.of(flaw.rule), failing(flaw.rule));
  }

  @Test
  void connectorWithoutAFlawPassesEveryRuleAndEachCatchesOne() {
    assertEquals(Set.of(), failing("R-"));
    Set<String> rules =
        Arrays.stream(ConnectorContract.class.getDeclaredMethods())
            .flatMap(method -> Optional.ofNullable(method.getAnnotation(Rule.class)).stream())
            .map(Rule::value)
            .collect(Collectors.toSet());
    Set<String> caught =
        Arrays.stream(FlawedConnector.Flaw.values())
            .map(flaw -> flaw.rule)
            .filter(rule -> !rule.isEmpty())
            .collect(Collectors.toSet());
    assertEquals(rules, caught);
  }

  /** {@return the rules that fail, of those that are or begin so} */
  private static Set<String> failing(String asked) {
    Set<String> failed = new TreeSet<>();
    PostDiscoveryFilter wanted =
        test ->
            FilterResult.includedIf(
                rule(test.getSource().orElse(null))
                    .map(rule -> asked.endsWith("-") || rule.equals(asked))
                    .orElse(true));
    TestExecutionListener listener =
        new TestExecutionListener() {
          @Override
          public void executionFinished(TestIdentifier test, TestExecutionResult result) {
            if (result.getStatus() == TestExecutionResult.Status.FAILED) {
              failed.add(rule(test.getSource().orElse(null)).orElse(test.getDisplayName()));
            }
          }
        };
    LauncherFactory.create()
        .execute(
            LauncherDiscoveryRequestBuilder.request()
                .selectors(selectClass(FlawedConnectorContract.class))
                .filters(wanted)
                .build(),
            listener);
    return failed;
  }

  private static Optional<String> rule(Object source) {
    return source instanceof MethodSource method
        ? Optional.ofNullable(method.getJavaMethod().getAnnotation(Rule.class)).map(Rule::value)
        : Optional.empty();
  }
}
