package io.kvasir.plugin.local;

import java.util.Arrays;

/**
 * Fingerprint to slot: open addressing with linear probing at a load of at most 0.40, deletion by
 * shifting back. The table holds slots only, each with three bits of its fingerprint that spare a
 * look at most of the others; the fingerprints themselves lie in the records. It is 256 tables by
 * the first byte of the fingerprint, each of which grows by an eighth when its time comes: none of
 * these steps takes long, and no two come together. Not thread-safe.
 */
final class SlotIndex {
  static final int NONE = -1;

  /** Slots are below this. */
  static final int MOST_SLOTS = (1 << 29) - 1;

  /** Lower than memory asks for: each step to a next place is a jump that no processor foresees. */
  private static final double LOAD = 0.40;

  private static final int SHARD_BITS = 8;
  private static final int SLOT_MASK = MOST_SLOTS;
  private static final int TAG_SHIFT = 29;
  private static final int[] EMPTY = new int[1];

  private final SlotRecords records;
  private final int[][] tables = new int[1 << SHARD_BITS][]; // tag and slot + 1; 0 is empty
  private final int[] counts = new int[1 << SHARD_BITS];

  SlotIndex(SlotRecords records) {
    this.records = records;
    Arrays.fill(tables, EMPTY);
  }

  int get(long first, long second) {
    int[] table = table(first);
    return (table[place(table, first, second)] & SLOT_MASK) - 1;
  }

  /**
   * Looks up fingerprints, two words each, from {@code from} to {@code to}, as far as the tables
   * know: a slot is likely and not sure, {@link #NONE} is. All tables are looked at first, so that
   * the memory works on many at a time.
   */
  void guess(long[] prints, int from, int to, int[] slots) {
    for (int i = from; i < to; i++) {
      long first = prints[2 * i];
      int[] table = table(first);
      slots[i] = table[home(first, table.length)];
    }
    for (int i = from; i < to; i++) {
      int tag = tag(prints[2 * i + 1]);
      int entry = slots[i];
      if (entry != 0 && (entry & ~SLOT_MASK) != tag) {
        int[] table = table(prints[2 * i]);
        int at = home(prints[2 * i], table.length);
        do {
          at = next(at, table.length);
          entry = table[at];
        } while (entry != 0 && (entry & ~SLOT_MASK) != tag);
      }
      slots[i] = (entry & SLOT_MASK) - 1;
    }
  }

  /** Maps the fingerprint of the record to {@code slot}, from whatever slot it was mapped to. */
  void put(int slot) {
    long first = records.get(slot, SlotRecords.FIRST);
    long second = records.get(slot, SlotRecords.SECOND);
    int shard = shard(first);
    if (counts[shard] + 1 > LOAD * tables[shard].length) {
      resize(shard, Math.max(8, tables[shard].length + tables[shard].length / 8));
    }
    int[] table = tables[shard];
    int at = place(table, first, second);
    if (table[at] == 0) {
      counts[shard]++;
    }
    table[at] = tag(second) | (slot + 1);
  }

  /** Maps the fingerprints of many records; the tables get their sizes first. */
  void putAll(int[] slots, int count) {
    int[] more = new int[tables.length];
    for (int i = 0; i < count; i++) {
      more[shard(records.get(slots[i], SlotRecords.FIRST))]++;
    }
    for (int shard = 0; shard < tables.length; shard++) {
      int length = (int) ((counts[shard] + more[shard]) / LOAD) + 1;
      if (length > tables[shard].length) {
        resize(shard, length);
      }
    }
    for (int i = 0; i < count; i++) {
      put(slots[i]);
    }
  }

  private static int shard(long first) {
    return (int) (first >>> (Long.SIZE - SHARD_BITS));
  }

  private void resize(int shard, int length) {
    int[] old = tables[shard];
    int[] table = new int[length];
    for (int entry : old) {
      if (entry != 0) {
        int at = home(records.get((entry & SLOT_MASK) - 1, SlotRecords.FIRST), length);
        while (table[at] != 0) {
          at = next(at, length);
        }
        table[at] = entry;
      }
    }
    tables[shard] = table;
  }

  /**
   * Removes what maps to {@code slot}; nothing happens if its fingerprint maps elsewhere or
   * nowhere.
   */
  void remove(int slot) {
    long first = records.get(slot, SlotRecords.FIRST);
    int[] table = table(first);
    int hole = place(table, first, records.get(slot, SlotRecords.SECOND));
    if ((table[hole] & SLOT_MASK) != slot + 1) {
      return;
    }
    counts[shard(first)]--;
    for (int at = next(hole, table.length); table[at] != 0; at = next(at, table.length)) {
      int home = home(records.get((table[at] & SLOT_MASK) - 1, SlotRecords.FIRST), table.length);
      boolean stays = hole <= at ? hole < home && home <= at : hole < home || home <= at;
      if (!stays) {
        table[hole] = table[at];
        hole = at;
      }
    }
    table[hole] = 0;
  }

  /** Where the fingerprint is, or the empty place where it belongs. */
  private int place(int[] table, long first, long second) {
    int tag = tag(second);
    int at = home(first, table.length);
    for (int entry; (entry = table[at]) != 0; at = next(at, table.length)) {
      if ((entry & ~SLOT_MASK) == tag && records.isOf((entry & SLOT_MASK) - 1, first, second)) {
        return at;
      }
    }
    return at;
  }

  /** What the tables take, without the fingerprints. */
  long bytes() {
    long bytes = 0;
    for (int[] table : tables) {
      bytes += Integer.BYTES * (long) table.length;
    }
    return bytes;
  }

  private int[] table(long first) {
    return tables[shard(first)];
  }

  /** By the 32 bits behind those that choose the table. */
  private static int home(long first, int length) {
    return (int) ((((first << SHARD_BITS) >>> Integer.SIZE) * length) >>> Integer.SIZE);
  }

  private static int tag(long second) {
    return (int) second << TAG_SHIFT;
  }

  private static int next(int at, int length) {
    return at + 1 == length ? 0 : at + 1;
  }
}
