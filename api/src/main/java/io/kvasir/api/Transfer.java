package io.kvasir.api;

/**
 * An operation in flight.
 *
 * @param <R> its result
 */
public interface Transfer<R> {
  /** {@return the number of this transfer within its connector} */
  long id();

  /** {@return whether the result is there} */
  boolean done();

  /**
   * Waits for the result, and takes it: {@link KvConnector#poll} does not deliver it again.
   *
   * <p>Once the deadline has passed the transfer is given up and its result returned, which comes
   * at once: blocks without a status by then are {@code TIMEOUT}. An interrupt gives it up as a
   * cancel does, and stays set.
   *
   * @throws IllegalStateException if the result was taken before
   */
  R await(Deadline deadline);

  /**
   * Gives the operation up. The engine has its memory back when the completion arrives, which is at
   * once; blocks without a status by then are {@code CANCELLED}. Does nothing once it is done.
   */
  void cancel();
}
