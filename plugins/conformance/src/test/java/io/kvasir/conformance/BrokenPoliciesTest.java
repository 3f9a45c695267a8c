package io.kvasir.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each rule on identity policies catches a policy that breaks it. */
class BrokenPoliciesTest {
  @AfterEach
  void mend() {
    FlawedPolicyContract.flaw = FlawedPolicy.Flaw.NONE;
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void flawIsCaughtByTheRuleThatItBreaks(FlawedPolicy.Flaw flaw) {
    FlawedPolicyContract.flaw = flaw;
    assertEquals(
        Set.of(flaw.rule),
        KitRun.failures(
                FlawedPolicyContract.class, IdentityPolicyContract.class, List.of(flaw.rule))
            .keySet());
  }

  @Test
  void policyWithoutAFlawPassesEveryRuleAndEachCatchesOne() {
    assertEquals(
        Set.of(), KitRun.failing(FlawedPolicyContract.class, IdentityPolicyContract.class));
    assertEquals(
        KitRun.rules(IdentityPolicyContract.class).keySet(),
        Arrays.stream(FlawedPolicy.Flaw.values())
            .map(flaw -> flaw.rule)
            .filter(rule -> !rule.isEmpty())
            .collect(Collectors.toSet()));
  }
}
