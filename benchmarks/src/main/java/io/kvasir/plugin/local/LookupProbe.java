package io.kvasir.plugin.local;

import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.store.Store;

/**
 * Splits a lookup of plugin-local in two, fingerprints and search, which its SPI does in one. In
 * the package of the plugin because nothing else there needs to be seen from outside; on the class
 * path a package may lie in two places.
 */
public final class LookupProbe {
  private final Slab slab;

  /** Looks into an open store of this plugin. */
  public LookupProbe(Store store, long payloadBytes) {
    this.slab = ((LocalStore) store).slabs().get(payloadBytes);
  }

  /** {@return the fingerprints of keys as the store computes them, two words each} */
  public static long[] fingerprints(BlockKeys keys) {
    return Fingerprinter.of(keys);
  }

  /** {@return how many of the blocks are there; takes a lease of them and gives it back} */
  public int find(long[] fingerprints) {
    SlotLease lease = slab.lookup(fingerprints, LocalLease.expiry());
    slab.release(lease);
    return lease.count;
  }
}
