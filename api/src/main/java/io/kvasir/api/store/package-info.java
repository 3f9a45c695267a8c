/**
 * The SPI of a backend: how blocks are kept and found. A backend implements {@link
 * io.kvasir.api.store.StoreProvider}, {@link io.kvasir.api.store.Store} and {@link
 * io.kvasir.api.store.NamespaceStore}; the core brings the threads, the batches, the frames and the
 * overlap.
 *
 * <p>Terms: a <em>block</em> is a fixed number of tokens over all layers of a group and one shard.
 * A <em>frame</em> is a piece of memory that holds one block's payload. A <em>lease</em> keeps
 * blocks loadable. A block is either absent or whole; absent is no error.
 */
package io.kvasir.api.store;
