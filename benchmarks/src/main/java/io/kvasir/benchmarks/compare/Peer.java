package io.kvasir.benchmarks.compare;

import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.store.Blocks;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** A store under measurement. Calls come from several threads at once. */
interface Peer extends AutoCloseable {

  /**
   * Stores blocks and returns when the store acknowledges them, durable or not.
   *
   * @throws Exception if one is not stored
   */
  void put(Blocks from) throws Exception;

  /**
   * Fills the frames.
   *
   * @throws Exception if one is not found
   */
  void get(Blocks into) throws Exception;

  /** {@return how many blocks from the first on are there} */
  int prefix(BlockKeys keys) throws Exception;

  /** Makes durable what was acknowledged; nothing to do where that is so already. */
  default void flush() throws Exception {}

  /** Lets go of what keeps the page cache of the directory from being dropped. */
  default void release() throws Exception {}

  /** Undoes {@link #release()}. */
  default void reopen() throws Exception {}

  /** {@return the CPU seconds of a server that works for the store} */
  default double serverCpuSeconds() throws Exception {
    return 0;
  }

  /**
   * {@return the file of the store itself in which raw rounds may be made, if it has such a one}
   */
  default Optional<Region> region() throws IOException {
    return Optional.empty();
  }

  @Override
  void close() throws IOException;

  /**
   * Places for blocks in one file.
   *
   * @param positions at which blocks may be written and read past the store
   */
  record Region(Path file, List<Long> positions) {}
}
