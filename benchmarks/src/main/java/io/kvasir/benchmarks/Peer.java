package io.kvasir.benchmarks;

import io.kvasir.api.store.Blocks;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

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

  /** Makes durable what was acknowledged; nothing to do where that is so already. */
  default void flush() throws Exception {}

  /** {@return the CPU seconds of a server that works for the store} */
  default double serverCpuSeconds() throws Exception {
    return 0;
  }

  /**
   * {@return the file and the positions in it that raw rounds should use, if it has such a file}
   */
  default Region region(int blocks, int blockBytes) throws Exception {
    return null;
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
