package io.kvasir.plugin.local;

import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.store.Store;
import java.util.SplittableRandom;

/**
 * Splits a lookup of plugin-local in two, fingerprints and search, which its SPI does in one. In
 * the package of the plugin because nothing else there needs to be seen from outside; on the class
 * path a package may lie in two places.
 */
public final class LookupProbe {
  private static final int GROWTH = 32;
  private static final int FINGERPRINT = 16;

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

  /**
   * {@return the bytes that fingerprints and index take for each of so many blocks, in a table that
   * has grown as a slab file does}
   */
  public static double indexBytesPerBlock(int blocks) {
    SplittableRandom random = new SplittableRandom(7);
    SlotTable table = new SlotTable();
    for (int from = 0; from < blocks; from = table.slots()) {
      table.grow(Math.min(blocks, from + GROWTH));
      table.freeAllTaken(from);
      while (table.freeCount() > 0) {
        Bits128 print = new Bits128(random.nextLong(), random.nextLong());
        int slot = table.take();
        table.publish(slot, new SlotTable.Entry(print, slot, 0, 1 << 21, 1, slot, 0));
      }
    }
    return FINGERPRINT + (double) table.indexBytes() / blocks;
  }
}
