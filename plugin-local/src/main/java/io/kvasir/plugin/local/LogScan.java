package io.kvasir.plugin.local;

import static io.kvasir.plugin.local.Layout.PAGE;

import io.kvasir.plugin.local.LogPage.Ending;
import io.kvasir.plugin.local.LogPage.Tombstone;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The log of a slab file as an opening finds it: all whole pages of the ring by sequence. Holes are
 * left out and end nothing (I9), but a hole where a page must be is known for one.
 */
final class LogScan {
  private static final int PAGES_AT_ONCE = 256;

  /** A page and where in the ring it lies. */
  record Found(int position, LogPage page) {}

  private final long checkpointSeq;
  private final List<Found> pages = new ArrayList<>();

  private LogScan(long checkpointSeq) {
    this.checkpointSeq = checkpointSeq;
  }

  /**
   * Reads the ring and notes its pages there.
   *
   * @param checkpointSeq pages up to this one are found without their records
   */
  static LogScan read(SlabFile slab, long checkpointSeq, Ring ring, Rules rules)
      throws IOException {
    LogScan scan = new LogScan(checkpointSeq);
    int count = slab.header().logPages();
    MemorySegment buffer = Layout.pages(Math.min(count, PAGES_AT_ONCE));
    for (int from = 0; from < count; from += PAGES_AT_ONCE) {
      MemorySegment some = buffer.asSlice(0, (long) Math.min(PAGES_AT_ONCE, count - from) * PAGE);
      slab.readPages(from, some);
      scan.add(from, some, slab.header().storeId(), ring);
    }
    scan.pages.sort(Comparator.comparingLong(found -> found.page.seq()));
    if (rules.stopsAtHole()) {
      scan.cutAtHole(count);
    }
    return scan;
  }

  private void add(int from, MemorySegment some, long storeId, Ring ring) {
    for (int i = 0; i < some.byteSize() / PAGE; i++) {
      LogPage page = LogPage.read(some.asSlice((long) i * PAGE, PAGE), storeId, checkpointSeq);
      if (page != null) {
        pages.add(new Found(from + i, page));
        ring.found(from + i, page.seq());
      }
    }
  }

  private void cutAtHole(int ringPages) {
    for (int i = 1; i < pages.size(); i++) {
      if (pages.get(i).position != (pages.get(i - 1).position + 1) % ringPages) {
        pages.subList(i, pages.size()).clear();
      }
    }
  }

  /** All of them, those that the checkpoint covers included. */
  List<Found> all() {
    return pages;
  }

  /** Those that the checkpoint does not cover. */
  List<LogPage> uncovered() {
    return pages.stream().map(Found::page).filter(page -> page.seq() > checkpointSeq).toList();
  }

  /** How many slots the file had when the last of these pages was written, at the least (I12). */
  int slots() {
    int slots = 0;
    for (LogPage page : uncovered()) {
      for (PutRecord put : page.puts()) {
        slots = Math.max(slots, put.slot() + 1);
      }
      for (Ending ending : page.endings()) {
        if (ending instanceof Tombstone tombstone) {
          slots = Math.max(slots, tombstone.slot() + 1);
        }
      }
    }
    return slots;
  }

  /**
   * The last page that was durable once and is not there; 0 if none is missing. A life gives out
   * its sequences one by one, each with a page, from a gap above all that it saw; what its own
   * pages say was flushed must be there, unless the checkpoint covers it.
   */
  long lastMissing() {
    long missing = 0;
    long before = checkpointSeq; // the highest that the life in hand saw when it began
    List<LogPage> uncovered = uncovered();
    for (int from = 0, to; from < uncovered.size(); from = to) {
      long life = uncovered.get(from).life();
      long flushed = 0;
      for (to = from; to < uncovered.size() && uncovered.get(to).life() == life; to++) {
        flushed = Math.max(flushed, uncovered.get(to).flushedThrough());
      }
      long first =
          before + (uncovered.get(from).seq() < before + Recovery.SEQ_GAP ? 1 : Recovery.SEQ_GAP);
      missing = Math.max(missing, lastMissing(uncovered.subList(from, to), first, flushed));
      before = uncovered.get(to - 1).seq();
    }
    return missing;
  }

  /** The last sequence of {@code first} to {@code last} that has no page. */
  private static long lastMissing(List<LogPage> pages, long first, long last) {
    long wanted = last;
    for (int i = pages.size() - 1; i >= 0 && wanted >= first; i--) {
      long seq = pages.get(i).seq();
      if (seq < wanted) {
        return wanted;
      }
      wanted = seq == wanted ? wanted - 1 : wanted;
    }
    return wanted >= first ? wanted : 0;
  }
}
