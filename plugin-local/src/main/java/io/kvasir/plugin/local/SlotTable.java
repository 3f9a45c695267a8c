package io.kvasir.plugin.local;

import java.util.Arrays;

/**
 * What each slot of a file holds: about 70 bytes a slot in all. A slot is free, taken (being
 * written), live, ending (its tombstone is on the way to the disk) or quarantined. A live slot
 * whose namespace has ended since its put is dead: nobody finds it, and it counts as ending until
 * it is swept. Not thread-safe.
 */
final class SlotTable {
  static final int NONE = SlotIndex.NONE;

  /** The sequence of a block that came from a checkpoint, which does not say it. */
  static final long FROM_CHECKPOINT = 0;

  /** How many keys a lookup has in the air at a time: what fits into the fastest memory. */
  private static final int STRIDE = 512;

  private static final long FREE = -1;
  private static final long TAKEN = -2;
  private static final long ENDING = -3;
  private static final long QUARANTINED = -4;

  private final SlotRecords records = new SlotRecords();
  private final SlotIndex index = new SlotIndex(records);
  private final EvictionOrder order = new EvictionOrder();
  private final NamespaceCounts namespaces = new NamespaceCounts();
  private int firstFree = NONE;
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
    return records.slots();
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

  /** Blocks and payload bytes of a namespace. */
  NamespaceCounts namespaces() {
    return namespaces;
  }

  /** Adds slots; they are taken until {@link #free} is called for them. */
  void grow(int slots) {
    int old = slots();
    records.grow(slots);
    order.grow(slots);
    for (int slot = old; slot < slots; slot++) {
      setSeq(slot, TAKEN);
    }
  }

  /** Frees all slots that hold nothing: the end of a recovery, or of a growth. */
  void freeAllTaken(int from) {
    for (int slot = slots() - 1; slot >= from; slot--) {
      if (isDead(slot)) {
        clear(slot);
      }
      if (seq(slot) == TAKEN) {
        free(slot);
      }
    }
  }

  int take() {
    int slot = firstFree;
    firstFree = (int) records.get(slot, SlotRecords.CONTENT);
    freeCount--;
    setSeq(slot, TAKEN);
    return slot;
  }

  void free(int slot) {
    if (seq(slot) == ENDING) {
      ending--;
    }
    setSeq(slot, FREE);
    records.set(slot, SlotRecords.CONTENT, firstFree);
    firstFree = slot;
    freeCount++;
  }

  int find(Bits128 print) {
    int slot = index.get(print.first(), print.second());
    return slot == NONE || isDead(slot) ? NONE : slot;
  }

  /**
   * Finds blocks and notes their use.
   *
   * @param prints fingerprints, two words each
   * @param slots where their slots go, {@link #NONE} for what is absent
   * @param seqs where the sequences of their puts go
   * @param leased whether each that is found gets a lease
   * @return how many are there
   */
  int find(long[] prints, int[] slots, long[] seqs, int now, boolean leased) {
    if (slots() == 0) {
      Arrays.fill(slots, NONE);
      return 0;
    }
    int found = 0;
    for (int from = 0; from < slots.length; from += STRIDE) {
      int to = Math.min(slots.length, from + STRIDE);
      index.guess(prints, from, to, slots);
      records.look(slots, from, to, seqs);
      for (int i = from; i < to; i++) {
        int slot = slots[i];
        if (slot != NONE && !records.isOf(slot, prints[2 * i], prints[2 * i + 1])) {
          slot = index.get(prints[2 * i], prints[2 * i + 1]);
          slots[i] = slot;
        }
        if (slot != NONE && isDead(slot)) {
          slots[i] = NONE;
        } else if (slot != NONE) {
          seqs[i] = seq(slot);
          touch(slot, now);
          if (leased) {
            lease(slot);
          }
          found++;
        }
      }
    }
    return found;
  }

  /** Whether the slot still holds that very put, for all to find. */
  boolean holds(int slot, long putSeq) {
    return seq(slot) == putSeq && isLive(slot);
  }

  boolean isLive(int slot) {
    return seq(slot) >= 0 && !isDead(slot);
  }

  /** Whether it is a block of a namespace that has ended since, and has not been swept. */
  private boolean isDead(int slot) {
    long seq = seq(slot);
    return seq >= 0 && seq < namespaces.endedBelow(records.namespace(slot));
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
    records.fill(
        slot,
        entry.print.first(),
        entry.print.second(),
        entry.seq,
        SlotRecords.pair(entry.crc, entry.length),
        SlotRecords.pair(entry.clock, entry.depth),
        entry.namespace);
    count(slot);
    index.put(slot);
    if (!records.isQueued(slot)) { // one that waits from an earlier use keeps its older place
      records.setQueued(slot, true);
      order.add(slot, EvictionOrder.key(entry.clock, entry.depth));
    }
  }

  private void count(int slot) {
    live++;
    liveBytes += records.length(slot);
    namespaces.add(records.namespace(slot), records.length(slot));
  }

  /**
   * Publishes entries of a checkpoint, for slots from {@code slot} on; nobody finds them before
   * {@link #loaded}.
   *
   * @param entries four words each, as a checkpoint has them
   * @return the highest clock, unsigned
   */
  int load(int slot, long[] entries, int count) {
    int clock = 0;
    for (int i = 0; i < count; i++) {
      int at = slot + i;
      if (records.fill(at, entries, Checkpoint.WORDS * i, FROM_CHECKPOINT)) {
        count(at);
        records.setQueued(at, true);
        order.addLoosely(at, EvictionOrder.key(records.clock(at), records.depth(at)));
        clock = Integer.compareUnsigned(records.clock(at), clock) > 0 ? records.clock(at) : clock;
      }
    }
    return clock;
  }

  /** Makes an index and an order of what was loaded. */
  void loaded() {
    int[] all = new int[live];
    int count = 0;
    for (int slot = 0; slot < slots(); slot++) {
      if (seq(slot) == FROM_CHECKPOINT) {
        all[count++] = slot;
      }
    }
    index.putAll(all, count);
    order.settle();
  }

  /**
   * Writes the entries of live slots as a checkpoint has them, four words each; zeros for others.
   */
  void copy(int from, int to, long[] entries, int offset) {
    Arrays.fill(entries, offset, offset + Checkpoint.WORDS * (to - from), 0);
    for (int slot = from; slot < to; slot++) {
      if (isLive(slot)) {
        records.copy(slot, entries, offset + Checkpoint.WORDS * (slot - from));
      }
    }
  }

  Entry entry(int slot) {
    return new Entry(
        new Bits128(hint(slot), records.get(slot, SlotRecords.SECOND)),
        seq(slot),
        records.crc(slot),
        records.length(slot),
        records.clock(slot),
        records.depth(slot),
        records.namespace(slot));
  }

  long seq(int slot) {
    return records.seq(slot);
  }

  private void setSeq(int slot, long seq) {
    records.set(slot, SlotRecords.SEQ, seq);
  }

  /** First half of the fingerprint of its block. */
  long hint(int slot) {
    return records.get(slot, SlotRecords.FIRST);
  }

  void touch(int slot, int now) {
    records.touch(slot, now);
  }

  /** Makes a live block unreachable; its slot is not free yet (I4). */
  void end(int slot) {
    leave(slot);
    setSeq(slot, ENDING);
    ending++;
  }

  /** Makes a live block unreachable and keeps its slot out of use until the next open. */
  void quarantine(int slot) {
    leave(slot);
    setSeq(slot, QUARANTINED);
    quarantined++;
  }

  /** In a replay nothing waits for a flush: the slot holds nothing. */
  void clear(int slot) {
    if (isLive(slot)) {
      leave(slot);
      setSeq(slot, TAKEN);
    } else if (seq(slot) >= 0) {
      bury(slot);
      setSeq(slot, TAKEN);
      ending--;
    }
  }

  private void leave(int slot) {
    bury(slot);
    live--;
    liveBytes -= records.length(slot);
    namespaces.remove(records.namespace(slot), records.length(slot));
  }

  private void bury(int slot) {
    index.remove(slot);
    if (records.isLeased(slot)) {
      records.removeLeases(slot);
      leased--;
    }
  }

  /** Makes all blocks of a namespace unreachable that were put before {@code seq}, at once. */
  void endNamespace(int namespace, long seq) {
    live -= (int) namespaces.blocks(namespace);
    liveBytes -= namespaces.bytes(namespace);
    ending += (int) namespaces.blocks(namespace);
    namespaces.end(namespace, seq);
  }

  /** Frees slots, of those before {@code to}, whose namespace ended at {@code seq}. */
  void sweep(int namespace, long seq, int from, int to) {
    for (int slot = from; slot < to; slot++) {
      if (seq(slot) >= 0 && seq(slot) < seq && records.namespace(slot) == namespace) {
        bury(slot);
        setSeq(slot, ENDING);
        free(slot);
      }
    }
  }

  void lease(int slot) {
    if (!records.isLeased(slot)) {
      leased++;
    }
    records.addLease(slot);
  }

  /** Ends one lease of that very put; nothing happens if the slot has gone to another. */
  void release(int slot, long putSeq) {
    if (seq(slot) == putSeq && records.isLeased(slot)) {
      records.removeLease(slot);
      if (!records.isLeased(slot)) {
        leased--;
      }
    }
  }

  /**
   * The next victim, or {@link #NONE}. Leased blocks are in use: they move behind all others (I11).
   */
  int victim(int now, Rules rules) {
    for (int tries = 2 * order.size(); tries > 0 && order.size() > 0; tries--) {
      long stored = order.firstKey();
      int slot = order.poll();
      int depth = records.depth(slot);
      long current = EvictionOrder.key(records.clock(slot), depth);
      boolean live = isLive(slot);
      if (live && records.isLeased(slot) && rules.leaseProtects()) {
        order.add(slot, EvictionOrder.key(now, depth));
      } else if (live && Long.compareUnsigned(current, stored) > 0) {
        order.add(slot, current);
      } else {
        records.setQueued(slot, false);
        if (live) {
          return slot;
        }
      }
    }
    return NONE;
  }

  /** What the index takes beside the fingerprints. */
  long indexBytes() {
    return index.bytes();
  }

  Census census() {
    int taken = 0;
    for (int slot = 0; slot < slots(); slot++) {
      if (seq(slot) == TAKEN) {
        taken++;
      }
    }
    return new Census(slots(), freeCount, live, ending, quarantined, taken);
  }
}
