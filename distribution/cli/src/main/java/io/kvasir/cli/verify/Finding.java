package io.kvasir.cli.verify;

import java.time.Duration;

/**
 * What came of one rule.
 *
 * @param rule its number
 * @param sentence what it says
 * @param outcome what came of it
 * @param detail why it was skipped, or how it is broken; empty if it holds
 * @param trace the stack of what broke it; empty if nothing did
 * @param took how long the test took
 */
public record Finding(
    String rule, String sentence, Outcome outcome, String detail, String trace, Duration took) {
  /** {@return whether the rule was given up with all that come after it} */
  public boolean notTried() {
    return detail.startsWith(VerifiedStore.NOT_TRIED);
  }

  /** What can come of a rule. */
  public enum Outcome {
    /** It holds. */
    HOLDS,
    /** It does not apply, or could not be tried. */
    SKIPPED,
    /** It is broken. */
    BROKEN
  }
}
