package io.kvasir.plugin.local;

import static io.kvasir.plugin.local.Layout.PAGE;

import io.kvasir.plugin.local.LogPage.Ending;
import io.kvasir.plugin.local.LogPage.Tombstone;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Executor;

/**
 * The log of a slab file as an opening finds it: all whole pages of the ring by sequence. Holes are
 * left out and end nothing (I9), but a hole where a page must be is known for one.
 */
final class LogScan {
  private static final int PAGES_AT_ONCE = 512;
  private static final int PARTS = 4;

  /** A page and where in the ring it lies. */
  record Found(int position, LogPage page) {}

  private final SlabFile slab;
  private final long checkpointSeq;
  private final ReadBuffers buffers;
  private final List<Later<List<Found>>> parts = new ArrayList<>();
  private final List<Found> pages = new ArrayList<>();

  private LogScan(SlabFile slab, long checkpointSeq, ReadBuffers buffers) {
    this.slab = slab;
    this.checkpointSeq = checkpointSeq;
    this.buffers = buffers;
  }

  /**
   * Begins to read the ring; {@link #end} or {@link #settle} must follow. Where it cannot begin,
   * nothing is read any more.
   *
   * @param checkpointSeq pages up to this one are found without their records
   * @param threads read parts of the ring side by side
   */
  static LogScan begin(SlabFile slab, long checkpointSeq, Executor threads, ReadBuffers buffers) {
    LogScan scan = new LogScan(slab, checkpointSeq, buffers);
    int count = slab.header().logPages();
    int share = (count + PARTS - 1) / PARTS;
    boolean begun = false;
    try {
      for (int from = 0; from < count; from += share) {
        int first = from;
        int end = Math.min(count, from + share);
        scan.parts.add(Later.start(threads, () -> scan.part(first, end)));
      }
      begun = true;
      return scan;
    } finally {
      if (!begun) {
        scan.settle();
      }
    }
  }

  /** Waits until nothing is read any more. */
  void settle() {
    parts.forEach(Later::settle);
  }

  /** Waits for all pages and notes them in the ring. */
  LogScan end(Ring ring, Rules rules) throws IOException {
    settle();
    for (Later<List<Found>> part : parts) {
      pages.addAll(part.get());
    }
    pages.forEach(found -> ring.found(found.position, found.page.seq()));
    pages.sort(Comparator.comparingLong(found -> found.page.seq()));
    if (rules.stopsAtHole()) {
      cutAtHole(slab.header().logPages());
    }
    return this;
  }

  private List<Found> part(int from, int end) throws IOException {
    List<Found> found = new ArrayList<>();
    for (int at = from; at < end; at += PAGES_AT_ONCE) {
      int count = Math.min(PAGES_AT_ONCE, end - at);
      try (ReadBuffers.Buffer buffer = buffers.take((long) count * PAGE)) {
        slab.readPages(at, buffer.bytes());
        for (int i = 0; i < count; i++) {
          MemorySegment page = buffer.bytes().asSlice((long) i * PAGE, PAGE);
          LogPage read = LogPage.read(page, slab.header().storeId(), checkpointSeq);
          if (read != null) {
            found.add(new Found(at + i, read));
          }
        }
      }
    }
    return found;
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
