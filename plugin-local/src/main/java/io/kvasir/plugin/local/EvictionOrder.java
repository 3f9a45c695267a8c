package io.kvasir.plugin.local;

import java.util.Arrays;

/**
 * Slots by (clock of the last use, −depth): least recently used first, and of one request the tail
 * of the chain first. A heap whose keys may lag behind: a use only moves the clock of a slot, and
 * the slot finds its place when it comes up. Not thread-safe.
 */
final class EvictionOrder {
  private long[] keys = new long[0];
  private int[] slots = new int[0];
  private boolean[] queued = new boolean[0]; // by slot
  private int size;

  static long key(int clock, int depth) {
    return Integer.toUnsignedLong(clock) << 32 | Integer.toUnsignedLong(~depth);
  }

  void grow(int count) {
    keys = Arrays.copyOf(keys, count);
    slots = Arrays.copyOf(slots, count);
    queued = Arrays.copyOf(queued, count);
  }

  int size() {
    return size;
  }

  /** Adds a slot; one that still waits from an earlier use keeps its older place. */
  void add(int slot, long key) {
    if (queued[slot]) {
      return;
    }
    queued[slot] = true;
    int at = size++;
    while (at > 0 && Long.compareUnsigned(keys[(at - 1) / 2], key) > 0) {
      move((at - 1) / 2, at);
      at = (at - 1) / 2;
    }
    keys[at] = key;
    slots[at] = slot;
  }

  long firstKey() {
    return keys[0];
  }

  /** Takes the first slot out; there must be one. */
  int poll() {
    int first = slots[0];
    queued[first] = false;
    size--;
    long key = keys[size];
    int slot = slots[size];
    int at = 0;
    for (int child; (child = 2 * at + 1) < size; at = child) {
      if (child + 1 < size && Long.compareUnsigned(keys[child + 1], keys[child]) < 0) {
        child++;
      }
      if (Long.compareUnsigned(keys[child], key) >= 0) {
        break;
      }
      move(child, at);
    }
    keys[at] = key;
    slots[at] = slot;
    return first;
  }

  private void move(int from, int to) {
    keys[to] = keys[from];
    slots[to] = slots[from];
  }
}
