package io.kvasir.api;

import io.kvasir.api.identity.Weights;

/** An update in progress. Closed without a commit, the weights are unknown: nothing is shared. */
public interface WeightUpdate extends AutoCloseable {
  /**
   * Opens the next namespace. The state in force again is a no-op.
   *
   * @throws KvasirException if the update is closed, or the same update was committed before with
   *     another content
   */
  void commit(Weights weights);

  /** Ends the update; without a commit the weights become {@link Weights#unknown()}. */
  @Override
  void close();
}
