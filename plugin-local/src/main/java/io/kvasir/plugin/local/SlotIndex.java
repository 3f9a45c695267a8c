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
    return slot(table[place(table, first, second)]);
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
      slots[i] = slot(entry);
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
    put(shard, home(first, tables[shard].length), tag(second) | (slot + 1));
  }

  /**
   * Maps the fingerprints of many records, table by table: one at a time stays in the fastest
   * memory, and all at once do not.
   */
  void putAll(int[] slots, int count) {
    int[] ends = new int[tables.length]; // of each table's share of those that are sorted
    for (int i = 0; i < count; i++) {
      ends[shard(records.get(slots[i], SlotRecords.FIRST))]++;
    }
    for (int shard = 0, sum = 0; shard < ends.length; shard++) {
      int length = (int) ((counts[shard] + ends[shard]) / LOAD) + 1;
      if (length > tables[shard].length) {
        resize(shard, length);
      }
      sum += ends[shard];
      ends[shard] = sum - ends[shard];
    }
    long[] sorted = new long[count]; // the bits that are the home above, those of the table below
    for (int i = 0; i < count; i++) {
      long first = records.get(slots[i], SlotRecords.FIRST);
      int entry = tag(records.get(slots[i], SlotRecords.SECOND)) | (slots[i] + 1);
      sorted[ends[shard(first)]++] =
          homeBits(first) << Integer.SIZE | Integer.toUnsignedLong(entry);
    }
    for (int shard = 0, i = 0; shard < ends.length; shard++) {
      for (; i < ends[shard]; i++) {
        put(shard, homeOf(sorted[i] >>> Integer.SIZE, tables[shard].length), (int) sorted[i]);
      }
    }
  }

  private void put(int shard, int home, int entry) {
    int[] table = tables[shard];
    int at = home;
    for (int other; (other = table[at]) != 0; at = next(at, table.length)) {
      if ((other ^ entry) >>> TAG_SHIFT == 0 && records.areSame(slot(other), slot(entry))) {
        table[at] = entry;
        return;
      }
    }
    counts[shard]++;
    table[at] = entry;
  }

  private static int shard(long first) {
    return (int) (first >>> (Long.SIZE - SHARD_BITS));
  }

  private void resize(int shard, int length) {
    int[] old = tables[shard];
    int[] table = new int[length];
    for (int entry : old) {
      if (entry != 0) {
        int at = home(records.get(slot(entry), SlotRecords.FIRST), length);
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
    if (slot(table[hole]) != slot) {
      return;
    }
    counts[shard(first)]--;
    for (int at = next(hole, table.length); table[at] != 0; at = next(at, table.length)) {
      int home = home(records.get(slot(table[at]), SlotRecords.FIRST), table.length);
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
      if ((entry & ~SLOT_MASK) == tag && records.isOf(slot(entry), first, second)) {
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

  private static int home(long first, int length) {
    return homeOf(homeBits(first), length);
  }

  /** The 32 bits behind those that choose the table. */
  private static long homeBits(long first) {
    return (first << SHARD_BITS) >>> Integer.SIZE;
  }

  private static int homeOf(long homeBits, int length) {
    return (int) ((homeBits * length) >>> Integer.SIZE);
  }

  private static int slot(int entry) {
    return (entry & SLOT_MASK) - 1;
  }

  private static int tag(long second) {
    return (int) second << TAG_SHIFT;
  }

  private static int next(int at, int length) {
    return at + 1 == length ? 0 : at + 1;
  }
}
