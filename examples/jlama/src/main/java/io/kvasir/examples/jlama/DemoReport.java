package io.kvasir.examples.jlama;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What the runs say: a table, a verdict on each claim, and one line of JSON. */
final class DemoReport {

  /**
   * One line of the table.
   *
   * @param what what was run
   * @param runs its runs, at least one
   */
  record Line(String what, List<Generation> runs) {
    Line {
      runs = List.copyOf(runs);
    }

    static Line of(String what, Generation run) {
      return new Line(what, List.of(run));
    }

    Generation first() {
      return runs.getFirst();
    }

    double medianMillis() {
      double[] sorted = runs.stream().mapToDouble(Generation::prefillMillis).sorted().toArray();
      int middle = sorted.length / 2;
      return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    boolean allHave(String logits) {
      return runs.stream().allMatch(run -> run.logits().equals(logits));
    }

    int leastHitTokens() {
      return runs.stream().mapToInt(Generation::hitTokens).min().orElseThrow();
    }

    int mostHitTokens() {
      return runs.stream().mapToInt(Generation::hitTokens).max().orElseThrow();
    }

    int mostComputedTokens() {
      return runs.stream().mapToInt(Generation::computedTokens).max().orElseThrow();
    }
  }

  /** A claim and whether the runs bear it out. */
  record Verdict(boolean holds, String claim) {}

  /**
   * All that was run.
   *
   * @param miss question A, nothing stored
   * @param hit question B, after A was stored
   * @param control question B without a store
   * @param others question B on other weights of the same name, with the store of {@code hit}
   * @param legacy question B on the first of {@code others}, under the identity of lmdeploy-v1,
   *     after A was stored under it by the right weights
   */
  record Runs(Line miss, Line hit, Line control, List<Line> others, Line legacy) {
    Runs {
      others = List.copyOf(others);
    }
  }

  private final Runs runs;
  private final int sharedTokens;
  private final double requiredSpeedup;

  /** A required speed-up of 0 makes no claim about it. */
  DemoReport(Runs runs, int sharedTokens, double requiredSpeedup) {
    this.runs = runs;
    this.sharedTokens = sharedTokens;
    this.requiredSpeedup = requiredSpeedup;
  }

  double speedup() {
    return runs.miss().medianMillis() / runs.hit().medianMillis();
  }

  boolean logitsIdentical() {
    return runs.hit().allHave(runs.control().first().logits());
  }

  int otherWeightsHitTokens() {
    return runs.others().stream().mapToInt(Line::mostHitTokens).max().orElseThrow();
  }

  /** Compared with the same weights on the same prompt, which found nothing and computed it all. */
  boolean legacyLogitsIdentical() {
    return runs.legacy().allHave(runs.others().getFirst().first().logits());
  }

  List<Verdict> verdicts() {
    int wholeBlocks = sharedTokens / JlamaEngine.BLOCK_TOKENS * JlamaEngine.BLOCK_TOKENS;
    int prompt = runs.control().first().computedTokens();
    List<Verdict> verdicts = new ArrayList<>();
    verdicts.add(
        new Verdict(
            runs.miss().mostHitTokens() == 0 && runs.control().mostHitTokens() == 0,
            "nothing is found where nothing was stored"));
    verdicts.add(
        new Verdict(
            runs.hit().leastHitTokens() >= wholeBlocks
                && runs.hit().runs().stream()
                    .allMatch(run -> run.hitTokens() + run.computedTokens() == prompt),
            "another process finds all %d tokens of the document, and computes the rest only"
                .formatted(wholeBlocks)));
    verdicts.add(
        new Verdict(
            logitsIdentical(), "what it found gives the logits of a full prefill, bit for bit"));
    if (requiredSpeedup > 0) {
      verdicts.add(
          new Verdict(
              speedup() >= requiredSpeedup,
              "prefill ends %.1f times sooner (at least %.0f)"
                  .formatted(speedup(), requiredSpeedup)));
    }
    verdicts.add(
        new Verdict(
            otherWeightsHitTokens() == 0, "other weights under the same name find nothing"));
    verdicts.add(
        new Verdict(
            runs.legacy().leastHitTokens() > 0 && !legacyLogitsIdentical(),
            "the old key scheme hands them foreign blocks, and the logits are silently wrong"));
    return verdicts;
  }

  String table() {
    StringBuilder out = new StringBuilder();
    out.append(row("run", "hit", "computed", "prefill", "logits (SHA-256)"));
    out.append(row(runs.miss(), ""));
    out.append(
        row(runs.hit(), logitsIdentical() ? "as without a store" : "NOT as without a store"));
    out.append(row(runs.control(), ""));
    for (Line other : runs.others()) {
      out.append(row(other, ""));
    }
    out.append(row(runs.legacy(), legacyLogitsIdentical() ? "as computed" : "not as computed"));
    out.append('\n');
    for (Verdict verdict : verdicts()) {
      out.append(verdict.holds() ? "  ok     " : "  WRONG  ").append(verdict.claim()).append('\n');
    }
    return out.toString();
  }

  private static String row(Line line, String note) {
    String more = line.runs().size() > 1 ? " (median of %d)".formatted(line.runs().size()) : "";
    return row(
        line.what() + more,
        Integer.toString(line.leastHitTokens()),
        Integer.toString(line.mostComputedTokens()),
        "%.0f ms".formatted(line.medianMillis()),
        "%.16s  %s".formatted(line.first().logits(), note).strip());
  }

  private static String row(String what, String hit, String computed, String time, String logits) {
    return "%-52s %6s %9s %9s  %s%n".formatted(what, hit, computed, time, logits);
  }

  String json() {
    Map<String, Object> result = new LinkedHashMap<>();
    result.put("hit_tokens", runs.hit().leastHitTokens());
    result.put("computed_tokens", runs.hit().mostComputedTokens());
    result.put("prefill_ms_miss", rounded(runs.miss().medianMillis()));
    result.put("prefill_ms_hit", rounded(runs.hit().medianMillis()));
    result.put("speedup", rounded(speedup()));
    result.put("logits_identical", logitsIdentical());
    result.put("other_weights_hit_tokens", otherWeightsHitTokens());
    result.put("legacy_hit_tokens", runs.legacy().leastHitTokens());
    result.put("legacy_logits_identical", legacyLogitsIdentical());
    try {
      return new ObjectMapper().writeValueAsString(result);
    } catch (JsonProcessingException e) {
      throw new AssertionError("numbers and booleans are JSON", e);
    }
  }

  private static double rounded(double value) {
    return Math.round(value * 100) / 100.0;
  }
}
