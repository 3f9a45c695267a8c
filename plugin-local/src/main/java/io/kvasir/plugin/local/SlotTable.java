package io.kvasir.plugin.local;

import java.util.Arrays;

/**
 * What each slot of a file holds, by slot, in primitive arrays. A slot is free, taken (being
 * written), live, ending (its tombstone is on the way to the disk) or quarantined. Not thread-safe.
 */
final class SlotTable {
  static final int NONE = SlotIndex.NONE;

  /** The sequence of a block that came from a checkpoint, which does not say it. */
  static final long FROM_CHECKPOINT = 0;

  private static final long FREE = -1;
  private static final long TAKEN = -2;
  private static final long ENDING = -3;
  private static final long QUARANTINED = -4;

  private final SlotIndex index = new SlotIndex();
  private final EvictionOrder order = new EvictionOrder();
  private long[] seq = new long[0];
  private int[] crc = new int[0];
  private int[] length = new int[0];
  private int[] clock = new int[0];
  private int[] depth = new int[0];
  private char[] namespace = new char[0];
  private int[] leases = new int[0];
  private int[] free = new int[0];
  private int freeCount;
  private int live;
  private long liveBytes;
  private int ending;
  private int quarantined;
  private int leased;

  /** One block, as the table knows it. */
  record Entry(Bits128 print, long seq, int crc, int length, int clock, int depth, int namespace) {}

  /**
   * How many slots are in which state; {@code taken} is counted, not derived, so that a leak shows.
   */
  record Census(int slots, int free, int live, int ending, int quarantined, int taken) {}

  int slots() {
    return seq.length;
  }

  int freeCount() {
    return freeCount;
  }

  int endingCount() {
    return ending;
  }

  int liveCount() {
    return live;
  }

  long liveBytes() {
    return liveBytes;
  }

  int leasedCount() {
    return leased;
  }

  int quarantinedCount() {
    return quarantined;
  }

  /** Adds slots; they are taken until {@link #free} is called for them. */
  void grow(int slots) {
    int old = seq.length;
    index.grow(slots);
    order.grow(slots);
    seq = Arrays.copyOf(seq, slots);
    crc = Arrays.copyOf(crc, slots);
    length = Arrays.copyOf(length, slots);
    clock = Arrays.copyOf(clock, slots);
    depth = Arrays.copyOf(depth, slots);
    namespace = Arrays.copyOf(namespace, slots);
    leases = Arrays.copyOf(leases, slots);
    free = Arrays.copyOf(free, slots);
    Arrays.fill(seq, old, slots, TAKEN);
  }

  /** Frees all slots that hold nothing: the end of a recovery, or of a growth. */
  void freeAllTaken(int from) {
    for (int slot = slots() - 1; slot >= from; slot--) {
      if (seq[slot] == TAKEN) {
        free(slot);
      }
    }
  }

  int take() {
    int slot = free[--freeCount];
    seq[slot] = TAKEN;
    return slot;
  }

  void free(int slot) {
    if (seq[slot] == ENDING) {
      ending--;
    }
    seq[slot] = FREE;
    free[freeCount++] = slot;
  }

  int find(Bits128 print) {
    return index.get(print.first(), print.second());
  }

  /** Whether the slot still holds that very put. */
  boolean holds(int slot, long putSeq) {
    return seq[slot] == putSeq;
  }

  boolean isLive(int slot) {
    return seq[slot] >= 0;
  }

  /** The first live slot at {@code from} or behind it, or {@link #NONE}. */
  int nextLive(int from) {
    for (int slot = from; slot < slots(); slot++) {
      if (isLive(slot)) {
        return slot;
      }
    }
    return NONE;
  }

  void publish(int slot, Entry entry) {
    seq[slot] = entry.seq;
    crc[slot] = entry.crc;
    length[slot] = entry.length;
    clock[slot] = entry.clock;
    depth[slot] = entry.depth;
    namespace[slot] = (char) entry.namespace;
    leases[slot] = 0;
    index.put(slot, entry.print.first(), entry.print.second());
    order.add(slot, EvictionOrder.key(entry.clock, entry.depth));
    live++;
    liveBytes += entry.length;
  }

  Entry entry(int slot) {
    return new Entry(
        index.print(slot),
        seq[slot],
        crc[slot],
        length[slot],
        clock[slot],
        depth[slot],
        namespace[slot]);
  }

  int namespace(int slot) {
    return namespace[slot];
  }

  long seq(int slot) {
    return seq[slot];
  }

  int length(int slot) {
    return length[slot];
  }

  void touch(int slot, int now) {
    clock[slot] = now;
  }

  /** Makes a live block unreachable; its slot is not free yet (I4). */
  void end(int slot) {
    leave(slot);
    seq[slot] = ENDING;
    ending++;
  }

  /** Makes a live block unreachable and keeps its slot out of use until the next open. */
  void quarantine(int slot) {
    leave(slot);
    seq[slot] = QUARANTINED;
    quarantined++;
  }

  /** In a replay nothing waits for a flush: the slot holds nothing. */
  void clear(int slot) {
    if (isLive(slot)) {
      leave(slot);
      seq[slot] = TAKEN;
    }
  }

  private void leave(int slot) {
    index.remove(slot);
    live--;
    liveBytes -= length[slot];
    if (leases[slot] > 0) {
      leases[slot] = 0;
      leased--;
    }
  }

  void lease(int slot) {
    if (leases[slot]++ == 0) {
      leased++;
    }
  }

  /** Ends one lease of that very put; nothing happens if the slot has gone to another. */
  void release(int slot, long putSeq) {
    if (holds(slot, putSeq) && leases[slot] > 0 && --leases[slot] == 0) {
      leased--;
    }
  }

  /**
   * The next victim, or {@link #NONE}. Leased blocks are in use: they move behind all others (I11).
   */
  int victim(int now, Rules rules) {
    for (int tries = 2 * order.size(); tries > 0 && order.size() > 0; tries--) {
      long stored = order.firstKey();
      int slot = order.poll();
      if (!isLive(slot)) {
        continue;
      }
      long current = EvictionOrder.key(clock[slot], depth[slot]);
      if (leases[slot] > 0 && rules.leaseProtects()) {
        order.add(slot, EvictionOrder.key(now, depth[slot]));
      } else if (Long.compareUnsigned(current, stored) > 0) {
        order.add(slot, current);
      } else {
        return slot;
      }
    }
    return NONE;
  }

  Census census() {
    int taken = 0;
    for (long state : seq) {
      if (state == TAKEN) {
        taken++;
      }
    }
    return new Census(slots(), freeCount, live, ending, quarantined, taken);
  }
}
