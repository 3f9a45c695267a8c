package io.kvasir.conformance.wrap;

/** What a {@link FaultyStore} does instead of what it was asked to. */
public enum Fault {
  /** The call does nothing and ends {@code IO}. */
  FAILS(true),
  /** The call is done, and ends {@code IO} all the same: a lost answer. */
  LOSES_THE_ANSWER(true),
  /** The call does nothing until its deadline and ends {@code TIMEOUT}. */
  HANGS(true),
  /** The call throws an exception that no method declares. */
  THROWS(false),
  /** A load or save leaves its blocks without a status. */
  SAYS_NOTHING(false),
  /** A save says {@code OK} and keeps nothing. */
  DROPS(false),
  /** A loaded block has one bit turned over and says {@code OK}. */
  FLIPS_A_BIT(false),
  /** The second half of a loaded block is zero and says {@code OK}. */
  READS_HALF(false);

  private final boolean honest;

  Fault(boolean honest) {
    this.honest = honest;
  }

  /** {@return whether the contract allows it: the store fails and says so} */
  public boolean honest() {
    return honest;
  }
}
