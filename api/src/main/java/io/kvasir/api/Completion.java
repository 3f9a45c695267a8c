package io.kvasir.api;

/** A result, delivered by {@link KvConnector#poll}. */
public sealed interface Completion {
  /** {@return the id of the transfer} */
  long transferId();

  /** {@return the id of the request} */
  long requestId();

  /** A lookup ended. */
  record Lookup(long transferId, long requestId, PrefixMatch match) implements Completion {}

  /** A load ended. */
  record Load(long transferId, long requestId, LoadResult result) implements Completion {}

  /** A save ended. */
  record Save(long transferId, long requestId, SaveResult result) implements Completion {}
}
