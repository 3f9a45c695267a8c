package io.kvasir.examples.jlama;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.kvasir.examples.jlama.DemoReport.Line;
import io.kvasir.examples.jlama.DemoReport.Runs;
import io.kvasir.examples.jlama.DemoReport.Verdict;
import java.util.List;
import org.junit.jupiter.api.Test;

class DemoReportTest {
  private static final String RIGHT = "a".repeat(64);
  private static final String OTHER = "b".repeat(64);
  private static final String WRONG = "c".repeat(64);

  private Line miss = line(run(0, 2040, 8000, "e".repeat(64)));
  private Line hit = line(run(2000, 37, 200, RIGHT), run(2000, 37, 400, RIGHT));
  private Line control = line(run(0, 2037, 8000, RIGHT));
  private Line other = line(run(0, 2037, 8000, OTHER));
  private Line legacy = line(run(2000, 37, 200, WRONG));

  @Test
  void runsAsTheyShouldBeHoldEveryVerdict() {
    assertEquals(List.of(), wrong());
    assertEquals(6, report().verdicts().size());
  }

  @Test
  void oneHitRunWithOtherLogitsThanTheControlIsWrong() {
    hit = line(run(2000, 37, 200, RIGHT), run(2000, 37, 400, WRONG));
    assertOnlyWrong("bit for bit");
  }

  @Test
  void hitOfFewerTokensThanTheDocumentIsWrong() {
    hit = line(run(1984, 53, 200, RIGHT), run(2000, 37, 200, RIGHT));
    assertOnlyWrong("finds all 2000 tokens");
  }

  @Test
  void hitThatComputesWhatItFoundIsWrong() {
    hit = line(run(2000, 2037, 200, RIGHT));
    assertOnlyWrong("computes the rest only");
  }

  @Test
  void hitWhereNothingWasStoredIsWrong() {
    miss = line(run(16, 2024, 8000, RIGHT));
    assertOnlyWrong("nothing is found where nothing was stored");
  }

  @Test
  void hitThatIsNotTenTimesSoonerIsWrong() {
    hit = line(run(2000, 37, 900, RIGHT));
    assertOnlyWrong("8.9 times sooner");
  }

  @Test
  void hitOnOtherWeightsIsWrong() {
    other = line(run(16, 2021, 8000, OTHER));
    assertOnlyWrong("other weights under the same name find nothing");
  }

  @Test
  void legacyKeysThatFindNothingShowNoFault() {
    legacy = line(run(0, 2037, 8000, WRONG));
    assertOnlyWrong("the old key scheme");
  }

  @Test
  void legacyKeysWithTheRightLogitsShowNoFault() {
    legacy = line(run(2000, 37, 200, OTHER));
    assertOnlyWrong("the old key scheme");
  }

  @Test
  void jsonHasTheFiguresOfTheTable() throws Exception {
    JsonNode json = new ObjectMapper().readTree(report().json());
    assertEquals(2000, json.path("hit_tokens").intValue());
    assertEquals(37, json.path("computed_tokens").intValue());
    assertEquals(8000.0, json.path("prefill_ms_miss").doubleValue());
    assertEquals(300.0, json.path("prefill_ms_hit").doubleValue());
    assertEquals(26.67, json.path("speedup").doubleValue());
    assertTrue(json.path("logits_identical").booleanValue());
    assertEquals(0, json.path("other_weights_hit_tokens").asInt(-1));
    assertEquals(2000, json.path("legacy_hit_tokens").intValue());
    assertEquals("false", json.path("legacy_logits_identical").toString());
    assertEquals(9, json.size());
  }

  @Test
  void medianOfThreeIsTheMiddleOne() {
    Line three = line(run(0, 1, 30, RIGHT), run(0, 1, 10, RIGHT), run(0, 1, 20, RIGHT));
    assertEquals(20, three.medianMillis());
  }

  private DemoReport report() {
    return new DemoReport(new Runs(miss, hit, control, List.of(other, other), legacy), 2010, 10);
  }

  private List<String> wrong() {
    return report().verdicts().stream().filter(v -> !v.holds()).map(Verdict::claim).toList();
  }

  private void assertOnlyWrong(String claim) {
    assertEquals(1, wrong().size(), wrong().toString());
    assertTrue(wrong().getFirst().contains(claim), wrong().toString());
    assertTrue(report().table().contains("  WRONG  "));
  }

  private static Line line(Generation... runs) {
    return new Line("run", List.of(runs));
  }

  private static Generation run(int hit, int computed, double millis, String logits) {
    return new Generation(List.of(1), logits, hit, computed, millis);
  }
}
