package io.kvasir.plugin.local;

/**
 * Slots that a lookup found, each with the put that it found there. Guarded by the lock of the
 * slab.
 */
final class SlotLease {
  final int[] slots; // NONE where the block is absent
  final long[] seqs;
  final int count;
  boolean held;
  long expires; // System.nanoTime

  SlotLease(int[] slots, long[] seqs, int count) {
    this.slots = slots;
    this.seqs = seqs;
    this.count = count;
  }
}
