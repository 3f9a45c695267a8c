package io.kvasir.api;

/**
 * Metrics as they happen, on the thread where they happen: return at once, throw nothing. Bytes are
 * payload bytes, times are nanoseconds.
 */
public interface MetricsListener {
  /** A lookup ended. */
  default void lookedUp(int tokensAsked, int tokensFound, BlockStatus status, long nanos) {}

  /** Blocks of a load ended, all with one status. */
  default void loaded(BlockStatus status, int blocks, long bytes, long nanos) {}

  /** Blocks of a save ended, all with one status. */
  default void saved(BlockStatus status, int blocks, long bytes, long nanos) {}

  /** The breaker of the store opened or closed. */
  default void breaker(boolean open, String reason) {}

  /** The namespace changed after a weight update. */
  default void namespaceChanged(String from, String to) {}
}
