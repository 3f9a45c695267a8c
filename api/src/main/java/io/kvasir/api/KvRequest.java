package io.kvasir.api;

/**
 * One prompt and what is decoded after it. Used by one thread at a time.
 *
 * <p>The request keeps the lease of its prefix until its suffix is saved or the request is closed.
 */
public interface KvRequest extends AutoCloseable {
  /** {@return the number of this request within its connector} */
  long id();

  /** Appends a decoded, accepted token; blocks that it completes can be saved. */
  void append(int token);

  /** {@return the number of tokens: prompt and appended ones} */
  long tokens();

  /**
   * Looks the longest usable prefix up: whole blocks present in all groups and shards, by each
   * group's hit rule, leased. At least the last prompt token is left to compute.
   */
  Transfer<PrefixMatch> lookup(Deadline deadline);

  /** {@return a lookup with the configured deadline} */
  Transfer<PrefixMatch> lookup();

  /**
   * Loads the blocks of a match into the engine's memory.
   *
   * @param match a match of this request
   * @param memory the engine's memory for the blocks, not used by anybody else until the transfer
   *     ends
   * @throws KvasirException if the match is another request's, or the memory does not hold its
   *     blocks, has the wrong size, is read-only or of an arena that is closed
   */
  Transfer<LoadResult> load(PrefixMatch match, BlockMemory memory, Deadline deadline);

  /** {@return a load with the configured deadline} */
  Transfer<LoadResult> load(PrefixMatch match, BlockMemory memory);

  /**
   * Loads likewise, and reports the load as soon as each block has its status and the copies are
   * ordered: where memory is a device's, they may go on after that. The engine's stream then waits
   * for the {@linkplain LoadResult#arrival events} of a plane before its first kernel that uses it,
   * and the host for nothing. A load that is given up before is reported once nothing is copied any
   * more, as every other.
   *
   * <p>Memory of the host is there when the load is reported.
   *
   * @throws KvasirException as {@link #load(PrefixMatch, BlockMemory, Deadline)}
   */
  default Transfer<LoadResult> loadAhead(PrefixMatch match, BlockMemory memory, Deadline deadline) {
    return load(match, memory, deadline);
  }

  /**
   * Saves the complete blocks that the memory holds and that are not stored or being stored by this
   * request yet. Does not wait: the engine's blocks are held until the transfer ends, and no longer
   * than {@code save.max-wait}.
   *
   * @param ready when the engine's bytes may be read
   * @throws KvasirException if a block of the memory has the wrong size, or its arena is closed
   */
  Transfer<SaveResult> save(BlockMemory memory, Fence ready);

  /** Ends the request: what runs is cancelled, the lease is let go. Repeating does nothing. */
  @Override
  void close();
}
