package io.kvasir.api.store;

import io.kvasir.api.Deadline;
import io.kvasir.api.identity.BlockKeys;

/**
 * SPI: the blocks of one open namespace. Methods block and are called from several threads at once.
 *
 * <p>Keys of another namespace are a mistake of the caller: {@link IllegalArgumentException}.
 */
public interface NamespaceStore extends AutoCloseable {
  /**
   * Says which of the blocks are committed now. Absent is no error. The lease keeps the present
   * ones loadable until it is closed or expires; a store without leases gives {@linkplain
   * BlockLease#hint a hint}.
   *
   * @return the lease; the caller closes it
   * @throws StoreException if the store cannot tell; nothing is leased then
   */
  BlockLease lookup(BlockKeys keys, Deadline deadline) throws StoreException;

  /**
   * Fills the frame of each block that it can and sets each status: {@code OK}, {@code MISS}
   * (absent, or evicted since), {@code CORRUPT}, {@code MISMATCH}, {@code TIMEOUT}, {@code IO},
   * {@code CLOSED}. A frame without {@code OK} holds nothing to be trusted. Frames are the core's:
   * none is touched after the call returned, unless {@link Blocks#retain} says so.
   *
   * @param lease the lease of a lookup that covered the blocks; an expired one can only cause
   *     misses
   * @param into blocks to fill, keys among those of the lease
   */
  void load(BlockLease lease, Blocks into, Deadline deadline);

  /**
   * Publishes each block atomically and sets each status. A block that exists is {@code OK} and
   * left untouched; two writers of one key cannot harm each other. After {@code OK} a block is
   * found and loads with these bytes. After any other status it is absent or whole, never partial;
   * after {@code TIMEOUT} it may still appear. Frames are read until the call returns and not
   * after, unless {@link Blocks#retain} says so.
   *
   * @param from blocks to store; each frame's payload is the namespace's size for the group
   */
  void save(Blocks from, Deadline deadline);

  /**
   * Removes blocks; absent is fine, safe to repeat. When it returned they are unreachable.
   *
   * @throws StoreException {@code UNSUPPORTED} without the capability {@code scopedDelete}
   */
  default void remove(BlockKeys keys, Deadline deadline) throws StoreException {
    throw StoreException.unsupported("scoped delete");
  }

  /**
   * Closes the view; blocks stay, leases end. Repeating does nothing. The default is for a store
   * that holds nothing open.
   */
  @Override
  default void close() {}
}
