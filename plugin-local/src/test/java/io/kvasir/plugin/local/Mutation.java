package io.kvasir.plugin.local;

import io.kvasir.plugin.local.CrashDisk.Lie;
import java.util.Set;

/**
 * One broken rule each: the counterexamples of the invariants, put into the product or underneath
 * it.
 */
@SuppressWarnings("ImmutableEnumChecker") // the rules have no state
enum Mutation {
  I1_FLUSH_SKIPPED(Lie.NO_SLAB_FLUSH),
  I1_FLUSH_BEGINS_WHILE_THE_PAGE_IS_WRITTEN(Lie.PAGE_WRITTEN_LATE),
  I1_FLUSH_BEGINS_WHILE_DATA_IS_WRITTEN(Lie.DATA_WRITTEN_LATE),
  I2_RECORD_BELIEVED_UNREAD(
      new Rules() {
        @Override
        boolean believesUnread() {
          return true;
        }
      }),
  I3_FLUSHED_THROUGH_IS_OWN_SEQUENCE(
      new Rules() {
        @Override
        long flushedThrough(long contiguous, long highest, long own) {
          return own;
        }
      }),
  I3_FLUSHED_THROUGH_IS_HIGHEST(
      new Rules() {
        @Override
        long flushedThrough(long contiguous, long highest, long own) {
          return Math.max(contiguous, highest);
        }
      }),
  I4_SLOT_REUSED_BEFORE_ITS_TOMBSTONE_IS_FLUSHED(
      new Rules() {
        @Override
        boolean reusesBeforeFlush() {
          return true;
        }
      }),
  I5_RING_WRAPS_OVER_LIVE_PAGES(
      new Rules() {
        @Override
        boolean overwritesLivePages() {
          return true;
        }
      }),
  I5_CHECKPOINT_COUNTS_BEFORE_IT_IS_DURABLE(
      new Rules() {
        @Override
        boolean checkpointCountsAtOnce() {
          return true;
        }
      }),
  I5_CHECKPOINT_FILE_NOT_FLUSHED(Lie.NO_CHECKPOINT_FLUSH),
  I5_DIRECTORY_NOT_FLUSHED(Lie.NO_DIRECTORY_FLUSH),
  I6_CHECKPOINT_CLAIMS_WHAT_IS_IN_FLIGHT(
      new Rules() {
        @Override
        long checkpointSeq(long flushedThrough, long lastSeq) {
          return lastSeq;
        }
      }),
  I6_TOMBSTONE_ENDS_ANY_PUT_OF_ITS_SLOT(
      new Rules() {
        @Override
        boolean tombstoneEnds(long named, long found) {
          return true;
        }
      }),
  I7_REJECTED_RECORDS_STAY(
      new Rules() {
        @Override
        boolean endsRejected() {
          return false;
        }
      }),
  I7_REJECTION_PAGE_NOT_WRITTEN(Lie.NO_REJECTION_PAGES),
  I7_REJECTED_PUT_DISPLACES_ITS_OLDER_BLOCK(
      new Rules() {
        @Override
        boolean rejectedNeverWas() {
          return false;
        }
      }),
  I8_NO_FLUSH_AT_RECOVERY(
      new Rules() {
        @Override
        boolean flushesAtRecovery() {
          return false;
        }
      }),
  I9_HOLE_ENDS_THE_RING(
      new Rules() {
        @Override
        boolean stopsAtHole() {
          return true;
        }
      }),
  I10_SEQUENCE_CONTINUES_ABOVE_PAGES_ONLY(
      new Rules() {
        @Override
        long firstSeq(long highestSeen) {
          return highestSeen + 1;
        }
      }),
  I11_LEASED_BLOCK_IS_A_VICTIM(
      new Rules() {
        @Override
        boolean leaseProtects() {
          return false;
        }
      }),
  I12_GROWN_SLOTS_USED_BEFORE_THE_FLUSH(
      new Rules() {
        @Override
        boolean flushesGrowth() {
          return false;
        }
      }),
  I12_SIZE_NOT_FLUSHED(Lie.NO_SIZE_FLUSH),
  I13_PUBLISHED_BEFORE_THE_ACKNOWLEDGEMENT(
      new Rules() {
        @Override
        boolean publishesEarly() {
          return true;
        }
      });

  final Rules rules;
  final Set<Lie> lies;

  Mutation(Rules rules) {
    this.rules = rules;
    this.lies = Set.of();
  }

  Mutation(Lie lie) {
    this.rules = Rules.KEPT;
    this.lies = Set.of(lie);
  }
}
