package io.kvasir.plugin.local;

/**
 * What is known of each slot: six words that lie together, so that a lookup touches one or two
 * cache lines for a block. Knows where things lie, and not when they may change. Not thread-safe.
 */
final class SlotRecords {
  static final int WORDS = 6;

  /** First half of the fingerprint. */
  static final int FIRST = 0;

  /** Second half of the fingerprint. */
  static final int SECOND = 1;

  /** Sequence of the put, or the state of a slot that holds no block. */
  static final int SEQ = 2;

  /** CRC in the low half, length above; of a free slot the next free one. */
  static final int CONTENT = 3;

  /** Clock in the low half, depth above. */
  static final int USE = 4;

  /**
   * Number of the namespace in the low 16 bits, then whether it waits in the order, leases above.
   */
  static final int OWNER = 5;

  private static final long LOW = 0xFFFF_FFFFL;
  private static final long NAMESPACE = 0xFFFF;
  private static final long QUEUED = 1 << 16;
  private static final long LEASE = 1L << 32;
  private static final long MOST_DEPTH = 0xFFFF;

  private long[][] chunks = new long[0][];
  private int slots;

  int slots() {
    return slots;
  }

  void grow(int count) {
    chunks = Chunks.grow(chunks, count, WORDS);
    slots = count;
  }

  long get(int slot, int word) {
    return chunks[slot >>> Chunks.BITS][(slot & Chunks.MASK) * WORDS + word];
  }

  void set(int slot, int word, long value) {
    chunks[slot >>> Chunks.BITS][(slot & Chunks.MASK) * WORDS + word] = value;
  }

  static long pair(int low, int high) {
    return ((long) high << 32) | (low & LOW);
  }

  /**
   * Reads words from both ends of records, so that all of them come near at the same time.
   *
   * @param seen where what was read goes, for nobody to use
   */
  void look(int[] slots, int from, int to, long[] seen) {
    for (int i = from; i < to; i++) {
      int slot = Math.max(0, slots[i]);
      long[] chunk = chunks[slot >>> Chunks.BITS];
      int at = (slot & Chunks.MASK) * WORDS;
      seen[i] = chunk[at + FIRST] ^ chunk[at + OWNER];
    }
  }

  /** Whether two slots have the same fingerprint. */
  boolean areSame(int slot, int other) {
    return isOf(slot, get(other, FIRST), get(other, SECOND));
  }

  boolean isOf(int slot, long first, long second) {
    long[] chunk = chunks[slot >>> Chunks.BITS];
    int at = (slot & Chunks.MASK) * WORDS;
    return chunk[at] == first && chunk[at + 1] == second;
  }

  /** A new block without leases; whether the slot waits in the order stays as it is. */
  void fill(int slot, long first, long second, long seq, long content, long use, int namespace) {
    long[] chunk = chunks[slot >>> Chunks.BITS];
    int at = (slot & Chunks.MASK) * WORDS;
    chunk[at + FIRST] = first;
    chunk[at + SECOND] = second;
    chunk[at + SEQ] = seq;
    chunk[at + CONTENT] = content;
    chunk[at + USE] = use;
    chunk[at + OWNER] = (chunk[at + OWNER] & QUEUED) | namespace;
  }

  /** Fills a slot from an entry of a checkpoint at {@code at}; false if the entry is empty. */
  boolean fill(int slot, long[] entries, int at, long seq) {
    long last = entries[at + 3];
    if (last >>> 48 == 0) {
      return false;
    }
    long use = pair((int) last, (int) ((last >>> 32) & MOST_DEPTH));
    int namespace = (int) (last >>> 48) - 1;
    fill(slot, entries[at], entries[at + 1], seq, entries[at + 2], use, namespace);
    return true;
  }

  /** Writes the entry of a slot that holds a block as a checkpoint has it. */
  void copy(int slot, long[] entries, int at) {
    long use = get(slot, USE);
    entries[at] = get(slot, FIRST);
    entries[at + 1] = get(slot, SECOND);
    entries[at + 2] = get(slot, CONTENT);
    entries[at + 3] =
        (use & LOW) | (Math.min(use >>> 32, MOST_DEPTH) << 32) | ((namespace(slot) + 1L) << 48);
  }

  long seq(int slot) {
    return get(slot, SEQ);
  }

  int crc(int slot) {
    return (int) get(slot, CONTENT);
  }

  int length(int slot) {
    return (int) (get(slot, CONTENT) >>> 32);
  }

  int clock(int slot) {
    return (int) get(slot, USE);
  }

  int depth(int slot) {
    return (int) (get(slot, USE) >>> 32);
  }

  void touch(int slot, int clock) {
    set(slot, USE, (get(slot, USE) & ~LOW) | (clock & LOW));
  }

  int namespace(int slot) {
    return (int) (get(slot, OWNER) & NAMESPACE);
  }

  boolean isQueued(int slot) {
    return (get(slot, OWNER) & QUEUED) != 0;
  }

  void setQueued(int slot, boolean queued) {
    long owner = get(slot, OWNER);
    set(slot, OWNER, queued ? owner | QUEUED : owner & ~QUEUED);
  }

  boolean isLeased(int slot) {
    return get(slot, OWNER) >= LEASE;
  }

  void addLease(int slot) {
    set(slot, OWNER, get(slot, OWNER) + LEASE);
  }

  void removeLease(int slot) {
    set(slot, OWNER, get(slot, OWNER) - LEASE);
  }

  void removeLeases(int slot) {
    set(slot, OWNER, get(slot, OWNER) & LOW);
  }
}
