package io.kvasir.api.format;

/** Which blocks of a group must be there for a prefix to be usable. */
public sealed interface HitRule {
  /** All blocks of the prefix. */
  HitRule ALL = new All();

  /** {@return the rule that asks for the blocks of the last {@code tokens} tokens} */
  static HitRule trailing(int tokens) {
    return new Trailing(tokens);
  }

  /** {@return the value in a manifest} */
  Object json();

  /** All blocks of the prefix. */
  record All() implements HitRule {
    @Override
    public Object json() {
      return "all";
    }
  }

  /**
   * The blocks that hold the last tokens of the prefix.
   *
   * @param tokens ≥ 1
   */
  record Trailing(int tokens) implements HitRule {
    /** Checks the count. */
    public Trailing {
      if (tokens < 1) {
        throw new IllegalArgumentException("trailing: " + tokens + " tokens; at least 1");
      }
    }

    @Override
    public Object json() {
      return java.util.Map.of("trailing", tokens);
    }
  }
}
