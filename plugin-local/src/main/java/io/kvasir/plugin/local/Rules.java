package io.kvasir.plugin.local;

/**
 * The decisions that the invariants of the format (FORMAT.md) rest on, one method each, so that a
 * test can break one and see that the crash tests notice. The product knows only {@link #KEPT}.
 */
class Rules {
  static final Rules KEPT = new Rules();

  /** I2: a record above flushed_through counts only after its slot has been read. */
  boolean believesUnread() {
    return false;
  }

  /** I3: what a page says of the batches before it is contiguous, never the highest or its own. */
  long flushedThrough(long contiguous, long highest, long own) {
    return contiguous;
  }

  /** I4: a slot is free only after the flush that covers its tombstone. */
  boolean reusesBeforeFlush() {
    return false;
  }

  /** I5: the ring waits for a checkpoint. */
  boolean overwritesLivePages() {
    return false;
  }

  /** I5: a checkpoint counts once it is durable. */
  boolean checkpointCountsAtOnce() {
    return false;
  }

  /** I6: a checkpoint claims no more than what was flushed. */
  long checkpointSeq(long flushedThrough, long lastSeq) {
    return flushedThrough;
  }

  /** I6: a tombstone ends the put that it names and no other. */
  boolean tombstoneEnds(long named, long found) {
    return named == found || found == SlotTable.FROM_CHECKPOINT;
  }

  /** I7: what recovery rejects is ended before the first put. */
  boolean endsRejected() {
    return true;
  }

  /**
   * I7: a rejected put never was; its record must not displace an older block of its key before its
   * tombstone comes.
   */
  boolean rejectedNeverWas() {
    return true;
  }

  /** I8: recovery flushes before it believes. */
  boolean flushesAtRecovery() {
    return true;
  }

  /** I9: a hole in the ring ends nothing. */
  boolean stopsAtHole() {
    return false;
  }

  /**
   * I10: a life starts above everything that the lives before can have written, pages or trailers.
   */
  long firstSeq(long highestSeen) {
    return highestSeen + Recovery.SEQ_GAP;
  }

  /** I11: a leased block is no victim. */
  boolean leaseProtects() {
    return true;
  }

  /** I12: grown slots wait for the flush of the growth. */
  boolean flushesGrowth() {
    return true;
  }

  /** I13: a block is found only once it is durable. */
  boolean publishesEarly() {
    return false;
  }
}
