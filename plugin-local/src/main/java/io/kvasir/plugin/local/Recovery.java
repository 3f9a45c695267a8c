package io.kvasir.plugin.local;

import io.kvasir.plugin.local.LogPage.Ending;
import io.kvasir.plugin.local.LogPage.NamespaceEnd;
import io.kvasir.plugin.local.LogPage.Tombstone;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Builds the table of a slab file from its checkpoint and its log. Reads only, but for the flush at
 * its start (I8): the first writes of the new life are its caller's.
 */
final class Recovery {
  /**
   * More than the batches that a life can write before one of its pages is durable (a ring of
   * pages, and what is in flight): so no trailer that is left of any life has the sequence of a
   * later one (I10).
   */
  static final long SEQ_GAP = 1 << 20;

  private record Found(int position, LogPage page) {}

  private record Put(int slot, long seq) {}

  /** What is known after a recovery; the table's slots that hold nothing are free. */
  record Result(
      SlotTable table,
      NamespaceNumbers namespaces,
      Ring ring,
      List<Ending> rejected,
      long highestSeq,
      long flushedThrough,
      long life,
      int clock) {}

  private final SlabFile slab;
  private final Directory directory;
  private final Fingerprints fingerprints;
  private final Rules rules;
  private final long storeId;
  private final SlotTable table = new SlotTable();
  private final NamespaceNumbers namespaces = new NamespaceNumbers();
  private final List<Ending> rejected = new ArrayList<>();
  private final Set<Put> neverWere = new HashSet<>();
  private final Map<Bits128, Long> ends = new HashMap<>();
  private final MemorySegment buffer;
  private int clock;

  Recovery(SlabFile slab, Directory directory, Fingerprints fingerprints, Rules rules) {
    this.slab = slab;
    this.directory = directory;
    this.fingerprints = fingerprints;
    this.rules = rules;
    this.storeId = slab.header().storeId();
    this.buffer = Layout.pages(slab.header().slotBytes() / Layout.PAGE);
  }

  Result run() throws IOException {
    String checkpointName = Checkpoint.name(slab.header().slotBytes());
    boolean hasCheckpoint = directory.names().contains(checkpointName);
    if (rules.flushesAtRecovery()) {
      slab.file().force(true);
      directory.force();
    }
    table.grow(slab.header().slots());
    Checkpoint checkpoint = hasCheckpoint ? load(checkpointName) : Checkpoint.NONE;
    Ring ring = new Ring(slab.header().logPages(), rules);
    List<Found> pages = pages(ring);
    long highest = checkpoint.seq();
    long flushed = checkpoint.seq();
    long life = 0;
    int last = slab.header().logPages() - 1;
    for (Found found : pages) {
      LogPage page = found.page;
      checkCovered(page, checkpoint, directory.describe(checkpointName));
      flushed = Math.max(flushed, page.flushedThrough());
      life = Math.max(life, page.life());
      if (page.seq() >= highest) {
        highest = page.seq();
        last = found.position;
      }
    }
    ring.continueAfter(last, checkpoint.seq());
    pages.removeIf(found -> found.page.seq() <= checkpoint.seq());
    pages.forEach(found -> lookAhead(found.page));
    for (Found found : pages) {
      replay(found.page, flushed);
    }
    table.freeAllTaken(0);
    return new Result(table, namespaces, ring, rejected, highest, flushed, life, clock);
  }

  private Checkpoint load(String name) throws IOException {
    try (BlockFile file = directory.open(name)) {
      if (rules.flushesAtRecovery()) {
        file.force(true);
      }
      Checkpoint loaded =
          Checkpoint.read(
              file,
              directory.describe(name),
              storeId,
              (slot, entry) -> {
                if (slot < table.slots()) {
                  table.publish(slot, entry);
                  saw(entry.clock());
                }
              });
      loaded.namespaces().forEach(namespaces::of);
      return loaded;
    }
  }

  /** All pages of the ring by sequence: holes are left out and end nothing (I9). */
  private List<Found> pages(Ring ring) throws IOException {
    List<Found> pages = new ArrayList<>();
    MemorySegment page = Layout.pages(1);
    for (int position = 0; position < slab.header().logPages(); position++) {
      slab.readPage(position, page);
      LogPage read = LogPage.read(page, storeId);
      if (read != null) {
        pages.add(new Found(position, read));
        ring.found(position, read.seq());
      }
    }
    pages.sort(Comparator.comparingLong(found -> found.page.seq()));
    return rules.stopsAtHole() ? new ArrayList<>(untilHole(pages)) : pages;
  }

  private List<Found> untilHole(List<Found> pages) {
    for (int i = 1; i < pages.size(); i++) {
      int expected = (pages.get(i - 1).position + 1) % slab.header().logPages();
      if (pages.get(i).position != expected) {
        return pages.subList(0, i);
      }
    }
    return pages;
  }

  /** The log is not to be believed without the checkpoint that it was written after. */
  static void checkCovered(LogPage page, Checkpoint checkpoint, String path) throws FormatError {
    if (page.checkpointSeq() > checkpoint.seq()) {
      throw new FormatError(
          "checkpoint %s: the log was written after checkpoint %d, the one that is there says %d; restore the file, or move it and the slab file of the same size out of the directory to go on without their blocks; nothing has been changed"
              .formatted(path, page.checkpointSeq(), checkpoint.seq()));
    }
  }

  /**
   * A put that an earlier recovery rejected never was, and must not take the place of its key's
   * older block for the moment between its record and its tombstone. Puts of a namespace that ends
   * later need not be verified.
   */
  private void lookAhead(LogPage page) {
    for (Ending ending : page.endings()) {
      switch (ending) {
        case Tombstone tombstone -> {
          if (page.kind() == LogPage.Kind.REJECTION && rules.rejectedNeverWas()) {
            neverWere.add(new Put(tombstone.slot(), tombstone.seq()));
          }
        }
        case NamespaceEnd end -> ends.merge(end.namespace(), page.seq(), Math::max);
      }
    }
  }

  private void replay(LogPage page, long flushed) throws IOException {
    boolean believed = page.seq() <= flushed || rules.believesUnread();
    for (PutRecord put : page.puts()) {
      replayPut(page.seq(), put, believed);
    }
    for (Ending ending : page.endings()) {
      replayEnding(page.seq(), ending);
    }
  }

  /**
   * The slot was free when the put began: what the table still has there, from a checkpoint, is
   * older or this put itself.
   */
  private void replayPut(long seq, PutRecord put, boolean believed) throws IOException {
    saw(put.clock());
    if (put.slot() < 0 || put.slot() >= table.slots()) {
      reject(seq, put, 0); // or it comes back when the file has grown again
      return;
    }
    table.clear(put.slot());
    if (neverWere.contains(new Put(put.slot(), seq))
        || ends.getOrDefault(put.key().namespace(), 0L) > seq) {
      return;
    }
    Bits128 print = fingerprints.of(put.key());
    int namespace = namespaces.of(put.key().namespace());
    if (print == null || namespace < 0 || (!believed && !verifies(seq, put))) {
      reject(seq, put, print == null ? 0 : print.first());
      return;
    }
    int before = table.find(print);
    if (before != SlotTable.NONE) {
      table.clear(before);
    }
    table.publish(
        put.slot(),
        new SlotTable.Entry(
            print, seq, put.crc(), put.length(), put.clock(), put.depth(), namespace));
  }

  private void reject(long seq, PutRecord put, long half) {
    if (rules.endsRejected()) {
      rejected.add(new Tombstone(put.slot(), seq, half));
    }
  }

  /** Whether the slot holds the bytes of that very put (I2). */
  private boolean verifies(long seq, PutRecord put) throws IOException {
    slab.readSlot(put.slot(), buffer);
    Trailer trailer = Trailer.read(buffer);
    return trailer != null
        && trailer.storeId() == storeId
        && trailer.seq() == seq
        && trailer.put().equals(put)
        && trailer.guards(buffer);
  }

  private void replayEnding(long seq, Ending ending) {
    switch (ending) {
      case Tombstone tombstone -> {
        int slot = tombstone.slot();
        if (slot >= 0
            && slot < table.slots()
            && table.isLive(slot)
            && rules.tombstoneEnds(tombstone.seq(), table.seq(slot))) {
          table.clear(slot);
        }
      }
      case NamespaceEnd end -> {
        int namespace = namespaces.of(end.namespace());
        for (int slot = 0; slot < table.slots(); slot++) {
          if (table.isLive(slot) && table.namespace(slot) == namespace && table.seq(slot) < seq) {
            table.clear(slot);
          }
        }
      }
    }
  }

  private void saw(int value) {
    if (Integer.compareUnsigned(value, clock) > 0) {
      clock = value;
    }
  }
}
