package io.kvasir.benchmarks.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The whole comparison, tiny: that it comes to its end and says everything, not how fast. */
class CompareIT {
  private static final Sizes TINY =
      new Sizes(
          1 << 16,
          8,
          new Sizes.Rounds(32, 3, 10),
          new Sizes.Rounds(16, 3, 10),
          1 << 20,
          1,
          Duration.ZERO,
          4000,
          4000,
          1,
          false);

  private static final Set<PeerKind> MAY_BE_MISSING = Set.of(PeerKind.REDIS, PeerKind.FILES_DIRECT);

  @TempDir Path work;

  @Test
  void aTinyComparisonMeasuresEverythingAndLosesNothing() throws Exception {
    Report report =
        new Compare(CompareOptions.parse(List.of("--dir", "" + work)), TINY, work).report();

    for (PeerKind kind : PeerKind.values()) {
      boolean missing = report.missing().stream().anyMatch(why -> why.startsWith(kind.id() + ":"));
      PeerResult store =
          report.stores().stream().filter(s -> s.peer() == kind).findFirst().orElse(null);
      assertEquals(missing, store == null, kind.id());
      assertTrue(!missing || MAY_BE_MISSING.contains(kind), report.missing().toString());
      if (store != null) {
        check(store);
      }
    }
    for (int g = 1; g <= 8; g++) {
      String id = "G" + g;
      assertTrue(report.goals().stream().anyMatch(goal -> goal.id().equals(id)), id);
    }
    report.goals().stream()
        .filter(goal -> goal.what().startsWith("blocks lost or wrong"))
        .forEach(goal -> assertEquals(true, goal.holds(), goal.toString()));
    assertTrue(report.text().contains("all of it took"));
    try (Stream<Path> left = Files.list(work)) {
      assertEquals(List.of(), left.toList(), "nothing is left behind");
    }
  }

  private static void check(PeerResult store) {
    assertNotNull(store.figure(Measure.PUT_ACKNOWLEDGED));
    assertNotNull(store.figure(Measure.GET_WARM));
    for (Figure figure : store.figures()) {
      assertTrue(figure.gigabytesPerSecond().value() > 0, figure.toString());
      assertTrue(figure.rounds() >= 3, figure.toString());
    }
    assertEquals(store.peer().durable(), store.recovery() != null, store.peer().id());
    if (store.peer() == PeerKind.LOCAL) {
      assertEquals(0, store.recovery().lost());
    }
    if (store.recovery() != null) {
      assertEquals(0, store.recovery().wrong());
    }
  }
}
