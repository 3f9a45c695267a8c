package io.kvasir.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The kit itself is tested with broken backends: each is caught by the rule that it breaks. */
class BrokenStoresTest {
  private static final Set<String> RULES = KitRun.rules(StoreContract.class).keySet();

  @Test
  void backendWithoutAFlawPassesEveryRule() {
    assertEquals(Set.of(), failing(Flaw.NONE, RULES));
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void flawIsCaughtByTheRuleThatItBreaks(Flaw flaw) {
    assertEquals(new TreeSet<>(flaw.rules()), failing(flaw, flaw.rules()));
  }

  @Test
  void everyRuleCatchesAFlaw() {
    Set<String> caught = new TreeSet<>();
    Arrays.stream(Flaw.values()).forEach(f -> caught.addAll(f.rules()));
    Set<String> all = new TreeSet<>(RULES);
    all.remove("R-STATUS-5"); // held by the API, where a backend cannot break it
    assertEquals(all, caught);
    assertTrue(RULES.size() > 40);
  }

  @Test
  void failingHistoryIsShrunkToWhatItNeeds() {
    String message =
        failures(Flaw.REMEMBERS_THE_REMOVED, List.of("R-MODEL-1")).get("R-MODEL-1").getMessage();
    List<String> needed = message.lines().filter(line -> line.matches("  \\d+\\. .*")).toList();
    assertTrue(message.contains("seed " + Seed.value()), message);
    // a removal, a save of what it took, and what shows it if the save does not: or what was there
    List<String> kinds = needed.stream().map(line -> line.strip().split(" ", -1)[1]).toList();
    assertTrue(needed.size() == 2 || needed.size() == 3, message);
    int removal = kinds.indexOf("remove");
    assertTrue(removal >= 0 && removal < kinds.lastIndexOf("save"), message);
  }

  /** {@return the rules that a backend with this flaw fails} */
  private static Set<String> failing(Flaw flaw, Collection<String> rules) {
    return failures(flaw, rules).keySet();
  }

  private static Map<String, Throwable> failures(Flaw flaw, Collection<String> rules) {
    FlawedStoreContract.flaw = flaw;
    try {
      return KitRun.failures(FlawedStoreContract.class, StoreContract.class, rules);
    } finally {
      FlawedStoreContract.flaw = Flaw.NONE;
    }
  }
}
