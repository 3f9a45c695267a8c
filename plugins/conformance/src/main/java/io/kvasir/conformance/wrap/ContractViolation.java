package io.kvasir.conformance.wrap;

/** Somebody broke a rule of the contract between the core and a store; the message says who. */
public final class ContractViolation extends AssertionError {
  private static final long serialVersionUID = 1;

  /** The side that broke it. */
  public enum Side {
    /** Who calls the store. */
    CALLER,
    /** The store. */
    STORE
  }

  private final Side side;

  ContractViolation(Side side, String message, Throwable cause) {
    super((side == Side.CALLER ? "the caller: " : "the store: ") + message, cause);
    this.side = side;
  }

  /** {@return who broke it} */
  public Side side() {
    return side;
  }
}
