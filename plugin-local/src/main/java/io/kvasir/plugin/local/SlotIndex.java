package io.kvasir.plugin.local;

import java.util.Arrays;

/**
 * Fingerprint to slot: open addressing with linear probing at a load of at most 0.60, deletion by
 * shifting back. The table holds slots only and the fingerprints lie by slot, so that a slot costs
 * 16 bytes and an entry 7. Not thread-safe.
 */
final class SlotIndex {
  static final int NONE = -1;
  private static final double LOAD = 0.60;

  private long[] prints = new long[0]; // two words a slot
  private int[] table = new int[1]; // slot + 1; 0 is empty

  void grow(int slots) {
    int[] old = table;
    prints = Arrays.copyOf(prints, 2 * slots);
    table = new int[(int) (slots / LOAD) + 2];
    for (int entry : old) {
      if (entry != 0) {
        table[place(prints[2 * (entry - 1)], prints[2 * (entry - 1) + 1])] = entry;
      }
    }
  }

  int get(long first, long second) {
    return table[place(first, second)] - 1;
  }

  /** Maps the fingerprint to {@code slot}, from whatever slot it was mapped to. */
  void put(int slot, long first, long second) {
    prints[2 * slot] = first;
    prints[2 * slot + 1] = second;
    table[place(first, second)] = slot + 1;
  }

  Bits128 print(int slot) {
    return new Bits128(prints[2 * slot], prints[2 * slot + 1]);
  }

  /**
   * Removes what maps to {@code slot}; nothing happens if its fingerprint maps elsewhere or
   * nowhere.
   */
  void remove(int slot) {
    int hole = place(prints[2 * slot], prints[2 * slot + 1]);
    if (table[hole] != slot + 1) {
      return;
    }
    for (int at = next(hole); table[at] != 0; at = next(at)) {
      int home = home(prints[2 * (table[at] - 1)]);
      boolean stays = hole <= at ? hole < home && home <= at : hole < home || home <= at;
      if (!stays) {
        table[hole] = table[at];
        hole = at;
      }
    }
    table[hole] = 0;
  }

  /** Where the fingerprint is, or the empty place where it belongs. */
  private int place(long first, long second) {
    int at = home(first);
    for (int entry; (entry = table[at]) != 0; at = next(at)) {
      if (prints[2 * (entry - 1)] == first && prints[2 * (entry - 1) + 1] == second) {
        return at;
      }
    }
    return at;
  }

  private int home(long first) {
    return (int) Math.unsignedMultiplyHigh(first, table.length);
  }

  private int next(int at) {
    return at + 1 == table.length ? 0 : at + 1;
  }
}
