package io.kvasir.api;

import io.kvasir.api.identity.Weights;

/** An update in progress. Closed without a commit, the weights are unknown: nothing is shared. */
public interface WeightUpdate extends AutoCloseable {
  /**
   * Opens the next namespace. The state in force again changes none; requests that began before
   * stay out all the same.
   *
   * @throws KvasirException if the update is closed, the same update was committed before with
   *     another content, or a delta names another state than the one in force
   */
  void commit(Weights weights);

  /** Ends the update; without a commit the weights become {@link Weights#unknown()}. */
  @Override
  void close();
}
