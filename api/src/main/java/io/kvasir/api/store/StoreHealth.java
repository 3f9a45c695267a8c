package io.kvasir.api.store;

/**
 * What the last real operations did.
 *
 * @param state whether it works
 * @param detail one sentence for the operator: the mode, the last failure and when it was
 */
public record StoreHealth(State state, String detail) {
  /** Whether a store works. */
  public enum State {
    /** Reads and writes succeed. */
    UP,
    /** Some operations fail, or it serves reads only. */
    DEGRADED,
    /** Nothing succeeds. */
    DOWN
  }

  /** {@return a store that works} */
  public static StoreHealth up(String detail) {
    return new StoreHealth(State.UP, detail);
  }

  /** {@return a store that does not work} */
  public static StoreHealth down(String detail) {
    return new StoreHealth(State.DOWN, detail);
  }

  /** {@return a store that works, or does not} */
  public static StoreHealth upIf(boolean works, String detail) {
    return works ? up(detail) : down(detail);
  }
}
