package io.kvasir.api;

/** How an operation on one block ended. */
public enum BlockStatus {
  /** Done. */
  OK,
  /** Not there, or no longer. */
  MISS,
  /** There, and its bytes are proven wrong. */
  CORRUPT,
  /** Under another identity: another namespace, another size, or the weights have changed. */
  MISMATCH,
  /** The deadline passed. */
  TIMEOUT,
  /** No room: in a queue, in frames, or in the store. */
  CAPACITY,
  /** A device, a network or a plugin failed. */
  IO,
  /** The caller gave it up. */
  CANCELLED,
  /** The connector or the store is closed. */
  CLOSED
}
