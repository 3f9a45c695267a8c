package io.kvasir.plugin.local;

/**
 * Slots by (clock of the last use, −depth): least recently used first, and of one request the tail
 * of the chain first. A heap whose keys may lag behind: a use only moves the clock of a slot, and
 * the slot finds its place when it comes up. A slot is in it once at most; its owner sees to that.
 * Not thread-safe.
 */
final class EvictionOrder {
  private long[][] keys = new long[0][];
  private int[][] slots = new int[0][];
  private int size;

  static long key(int clock, int depth) {
    return Integer.toUnsignedLong(clock) << 32 | Integer.toUnsignedLong(~depth);
  }

  void grow(int count) {
    keys = Chunks.grow(keys, count, 1);
    slots = Chunks.grow(slots, count);
  }

  int size() {
    return size;
  }

  void add(int slot, long key) {
    int at = size++;
    int up = (at - 1) / 2;
    while (at > 0 && Long.compareUnsigned(key(up), key) > 0) {
      set(at, key(up), slot(up));
      at = up;
      up = (at - 1) / 2;
    }
    set(at, key, slot);
  }

  /** Adds a slot of many; {@link #settle} makes an order of them. */
  void addLoosely(int slot, long key) {
    set(size++, key, slot);
  }

  /** Puts everything in its place, in time proportional to its number. */
  void settle() {
    for (int at = size / 2 - 1; at >= 0; at--) {
      sink(at, key(at), slot(at));
    }
  }

  long firstKey() {
    return key(0);
  }

  /** Takes the first slot out; there must be one. */
  int poll() {
    int first = slot(0);
    size--;
    sink(0, key(size), slot(size));
    return first;
  }

  /** Puts a slot at {@code at} or as far below as it belongs. */
  private void sink(int at, long key, int slot) {
    int place = at;
    for (int child; (child = 2 * place + 1) < size; place = child) {
      if (child + 1 < size && Long.compareUnsigned(key(child + 1), key(child)) < 0) {
        child++;
      }
      if (Long.compareUnsigned(key(child), key) >= 0) {
        break;
      }
      set(place, key(child), slot(child));
    }
    set(place, key, slot);
  }

  private long key(int at) {
    return keys[at >>> Chunks.BITS][at & Chunks.MASK];
  }

  private int slot(int at) {
    return slots[at >>> Chunks.BITS][at & Chunks.MASK];
  }

  private void set(int at, long key, int slot) {
    keys[at >>> Chunks.BITS][at & Chunks.MASK] = key;
    slots[at >>> Chunks.BITS][at & Chunks.MASK] = slot;
  }
}
