package io.kvasir.conformance.engine;

import io.kvasir.api.Arrival;
import io.kvasir.api.Fence;
import io.kvasir.api.PagedBlocks;

/**
 * The memory of a {@link PagedEngine}. Used by the engine's thread. A row is {@code [plane][head]
 * [token][byte]} here, whatever the order in memory.
 */
public interface PagedCache extends AutoCloseable {
  /** What a free row holds, so that a late write into it is found. */
  byte CANARY = FakeDevice.POISON;

  /** {@return the shape} */
  CacheShape shape();

  /** {@return block memory of these rows} */
  PagedBlocks blocks(int firstBlock, int[] rows);

  /** Writes a row, as a kernel of the engine would: it may happen later, before {@link #fence}. */
  void write(int row, byte[] block);

  /** {@return the row as it is after all writes before} */
  byte[] read(int row);

  /** {@return the fence of all writes before} */
  Fence fence();

  /** Lets all later writes and reads wait for what a load brings: memory of the host has it. */
  default void await(Arrival arrival) {}

  /** {@return bytes outside the rows that somebody wrote} */
  long strayBytes();

  @Override
  void close();
}
