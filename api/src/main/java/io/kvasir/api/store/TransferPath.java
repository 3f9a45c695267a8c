package io.kvasir.api.store;

import io.kvasir.api.BlockMemory;
import io.kvasir.api.Deadline;
import io.kvasir.api.Fence;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * SPI: how the bytes of blocks get between an engine's memory and frames. The default is the core's
 * host path; a backend or a device brings another for memory that the host cannot address.
 *
 * <p>Payload order is {@code [plane][piece]}, whatever the path. Calls block on the core's worker
 * threads (platform threads) and return when the bytes have arrived. Memory is the engine's,
 * payloads are the core's; neither is touched after the call returned, however it ended, but for
 * what {@link #land} left under way.
 */
public interface TransferPath {
  /** {@return whether this path moves blocks of that memory} */
  boolean accepts(BlockMemory memory);

  /**
   * Copies blocks from the engine's memory.
   *
   * @param from the engine's memory
   * @param firstBlock chain index of the block of the first payload
   * @param payloads where the consecutive blocks go
   * @param ready when the engine's bytes may be read; the path waits for device events itself
   * @throws StoreException {@code TIMEOUT} or {@code IO}; the payloads hold nothing to be trusted
   */
  void gather(
      BlockMemory from,
      int firstBlock,
      List<MemorySegment> payloads,
      Fence ready,
      Deadline deadline)
      throws StoreException;

  /**
   * Copies blocks to the engine's memory; visible to the engine when the call returned.
   *
   * @param payloads the consecutive blocks
   * @param to the engine's memory
   * @param firstBlock chain index of the block of the first payload
   * @throws StoreException {@code TIMEOUT} or {@code IO}; the engine's blocks hold nothing to be
   *     trusted
   */
  void scatter(List<MemorySegment> payloads, BlockMemory to, int firstBlock, Deadline deadline)
      throws StoreException;

  /**
   * Orders the copies of {@link #scatter} and returns, whether they are done or not: plane by
   * plane, with events that the engine's stream can wait for. Payloads and engine's memory are
   * touched until the landing is done.
   *
   * @return the copies under way; the default scatters, and they are done
   * @throws StoreException as {@link #scatter}; nothing is under way then
   */
  default Landing land(
      List<MemorySegment> payloads, BlockMemory to, int firstBlock, Deadline deadline)
      throws StoreException {
    scatter(payloads, to, firstBlock, deadline);
    return Landing.DONE;
  }
}
