/**
 * A durable, crash-safe, bounded store on the local disk.
 *
 * <p>Start at {@link io.kvasir.plugin.local.LocalProvider}. A {@code LocalStore} is a directory
 * with its namespaces; a {@code Slab} holds all blocks of one size in one file; {@code SlabState}
 * decides under a lock and {@code SlabWriter} carries it to the disk; {@code Recovery} rebuilds the
 * state at open. FORMAT.md, beside the sources, has the bytes and the invariants I1 to I13 that
 * comments refer to; {@code Rules} has one method for each.
 */
package io.kvasir.plugin.local;
