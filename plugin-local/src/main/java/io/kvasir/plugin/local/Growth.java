package io.kvasir.plugin.local;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/**
 * How a slab file gets more slots, one step at a time. Guarded by the lock of the slab, but for
 * {@link #write}.
 */
final class Growth {
  /** After the file system had no room it is not asked again for a while. */
  private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(60);

  /**
   * What a slot takes beside itself: its entry in a checkpoint and in the one that replaces it, and
   * two bytes for the feet of their sections and for what the file system writes down.
   */
  private static final int BESIDE = 2 * Checkpoint.ENTRY + 2;

  /** A page, in which the file system writes down where they lie, for so many bytes of slots. */
  private static final int PAGE_FOR = 30 - 12;

  private static final int FIRST = 64;

  private final SlabFile file;
  private final GroupFlush flush;
  private final Space space;
  private final int step;
  private final Rules rules;
  private final AtomicReference<Throwable> trouble;
  private boolean running;
  private boolean blocked;
  private long blockedAt;
  private int slots;
  private long reserved;

  Growth(
      SlabFile file,
      GroupFlush flush,
      Space space,
      int step,
      Rules rules,
      AtomicReference<Throwable> trouble) {
    this.trouble = trouble;
    this.file = file;
    this.flush = flush;
    this.space = space;
    this.step = step;
    this.rules = rules;
  }

  static long bytes(long slots, int slotBytes) {
    return slots * (slotBytes + BESIDE + (slotBytes >> PAGE_FOR));
  }

  boolean running() {
    return running;
  }

  /**
   * Takes room for a step, or for what is left of one; false if there is none, or somebody else is
   * at it.
   */
  boolean begin() {
    if (running || (blocked && System.nanoTime() - blockedAt < RETRY_NANOS)) {
      return false;
    }
    Header header = file.header();
    int first = Math.max(FIRST, header.slots()); // a new file need not zero a whole step at once
    for (int more = Math.min(step, first); more > 0; more /= 2) {
      long bytes = bytes(more, header.slotBytes());
      if (header.slots() <= Integer.MAX_VALUE / 4 - more && space.reserve(bytes)) {
        running = true;
        slots = header.slots() + more;
        reserved = bytes;
        return true;
      }
    }
    return false;
  }

  /**
   * Writes the step that was begun; null if there was no room for it, which harms nothing. A failed
   * flush throws.
   */
  Header write() throws IOException {
    Header grown;
    try {
      grown = file.prepareGrowth(slots);
    } catch (IOException e) {
      trouble.set(e);
      space.release(reserved);
      blocked = true;
      blockedAt = System.nanoTime();
      return null;
    }
    if (rules.flushesGrowth()) {
      flush.alone(true);
    }
    blocked = false;
    return grown;
  }

  void end() {
    running = false;
  }
}
