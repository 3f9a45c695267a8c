package io.kvasir.conformance.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kvasir.conformance.KitRun;
import io.kvasir.conformance.TransferPathContract;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each rule on transfer paths catches a path that breaks it. */
class BrokenPathsTest {
  @AfterEach
  void mend() {
    FlawedPathContract.flaw = FlawedPath.Flaw.NONE;
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void flawIsCaughtByTheRuleThatItBreaks(FlawedPath.Flaw flaw) {
    FlawedPathContract.flaw = flaw;
    assertEquals(
        Set.of(flaw.rule),
        KitRun.failures(FlawedPathContract.class, TransferPathContract.class, List.of(flaw.rule))
            .keySet());
  }

  @Test
  void pathWithoutAFlawPassesEveryRuleAndEachCatchesOne() {
    assertEquals(Set.of(), KitRun.failing(FlawedPathContract.class, TransferPathContract.class));
    assertEquals(
        KitRun.rules(TransferPathContract.class).keySet(),
        Arrays.stream(FlawedPath.Flaw.values())
            .map(flaw -> flaw.rule)
            .filter(rule -> !rule.isEmpty())
            .collect(Collectors.toSet()));
  }
}
