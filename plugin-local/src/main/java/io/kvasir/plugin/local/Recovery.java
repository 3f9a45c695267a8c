package io.kvasir.plugin.local;

import io.kvasir.plugin.local.LogPage.Ending;
import io.kvasir.plugin.local.LogPage.NamespaceEnd;
import io.kvasir.plugin.local.LogPage.Tombstone;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;

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

  /**
   * What was wrong on the disk, in words.
   *
   * @param lossy whether blocks are gone, or may be
   */
  record Damage(boolean lossy, String text) {}

  /** What is known after a recovery; the table's slots that hold nothing are free. */
  record Result(
      SlotTable table,
      NamespaceNumbers namespaces,
      Ring ring,
      List<Ending> rejected,
      long highestSeq,
      long flushedThrough,
      long life,
      int clock,
      List<Damage> damages) {}

  private final SlabFile slab;
  private final Directory directory;
  private final Fingerprints fingerprints;
  private final Rules rules;
  private final long storeId;
  private final String name;
  private final SlotTable table = new SlotTable();
  private final NamespaceNumbers namespaces = new NamespaceNumbers();
  private final List<Ending> rejected = new ArrayList<>();
  private final List<Damage> damages = new ArrayList<>();
  private final Set<TailCheck.Put> neverWere = new HashSet<>();
  private final Map<Bits128, Long> ends = new HashMap<>();
  private final Map<Integer, Long> behindTheEnd = new HashMap<>(); // sequences by slot
  private final Executor threads;
  private final ReadBuffers buffers;
  private final TailCheck tail;
  private int clock;

  /**
   * @param threads read log and checkpoint, then the blocks to verify
   */
  Recovery(
      SlabFile slab,
      Directory directory,
      Fingerprints fingerprints,
      StoreThreads threads,
      Rules rules) {
    this.threads = threads.blocks();
    this.slab = slab;
    this.directory = directory;
    this.fingerprints = fingerprints;
    this.rules = rules;
    this.storeId = slab.header().storeId();
    this.name = SlabFile.name(slab.header().slotBytes());
    this.buffers = new ReadBuffers(threads.memory(), slab.header().slotBytes());
    this.tail = new TailCheck(slab, this.threads, buffers);
  }

  /** Once. */
  Result run() throws IOException {
    try (buffers) {
      return recover();
    }
  }

  private Result recover() throws IOException {
    String checkpoint = Checkpoint.name(slab.header().slotBytes());
    boolean hasCheckpoint = directory.names().contains(checkpoint);
    if (rules.flushesAtRecovery()) {
      slab.file().force(true);
      directory.force();
    }
    if (!hasCheckpoint) {
      return run(new Checkpoint(storeId, 0, 0), null);
    }
    try (BlockFile file = directory.open(checkpoint)) {
      if (rules.flushesAtRecovery()) {
        file.force(true);
      }
      var reader = new CheckpointReader(file, directory.describe(checkpoint), storeId);
      return run(reader.head(), reader);
    }
  }

  private Result run(Checkpoint checkpoint, CheckpointReader reader) throws IOException {
    Ring ring = new Ring(slab.header().logPages(), rules);
    grow(checkpoint.slots());
    LogScan log = // beside the checkpoint: each takes as long as the other
        LogScan.begin(slab, checkpoint.seq(), threads, buffers);
    try {
      if (reader != null) {
        load(reader);
      }
      return run(checkpoint, log.end(ring, rules), ring);
    } finally {
      log.settle();
      tail.settle();
    }
  }

  private Result run(Checkpoint checkpoint, LogScan log, Ring ring) throws IOException {
    grow(log.slots());
    long highest = checkpoint.seq();
    long flushed = checkpoint.seq();
    long life = 0;
    int last = slab.header().logPages() - 1;
    for (LogScan.Found found : log.all()) {
      LogPage page = found.page();
      checkCovered(
          page, checkpoint.seq(), directory.describe(Checkpoint.name(slab.header().slotBytes())));
      flushed = Math.max(flushed, page.flushedThrough());
      life = Math.max(life, page.life());
      if (page.seq() >= highest) {
        highest = page.seq();
        last = found.position();
      }
    }
    ring.continueAfter(last, checkpoint.seq());
    look(log, flushed);
    table.loaded(); // while the disk is busy with what is looked at
    replay(log, flushed);
    table.freeAllTaken(0);
    if (!behindTheEnd.isEmpty()) {
      damages.add(
          new Damage(
              true,
              "%s ends before %d of its blocks, which are gone"
                  .formatted(name, behindTheEnd.size())));
    }
    return new Result(
        table, namespaces, ring, rejected, highest, flushed, life, clock, List.copyOf(damages));
  }

  /** Slots that log and checkpoint speak of were there: a header that knows fewer is damaged. */
  private void grow(int slots) throws IOException {
    restoreSlots(slots);
    if (slab.header().slots() > table.slots()) {
      table.grow(slab.header().slots());
    }
  }

  private void restoreSlots(int slots) throws IOException {
    int known = slab.header().slots();
    if (slab.restore(slots)) {
      damages.add(
          new Damage(
              false,
              "a header page of %s is damaged; its %d slots are %d again by its log and checkpoint"
                  .formatted(name, known, slab.header().slots())));
    }
  }

  private void load(CheckpointReader reader) throws IOException {
    reader
        .read(
            threads,
            buffers,
            (from, entries, count) -> {
              int there = Math.clamp(table.slots() - from, 0, count);
              saw(table.load(from, entries, there));
              for (int i = there; i < count; i++) {
                if (entries[Checkpoint.WORDS * i + 3] >>> 48 != 0) {
                  behindTheEnd.put(from + i, SlotTable.FROM_CHECKPOINT);
                }
              }
            })
        .forEach(namespaces::of);
  }

  /** The log is not to be believed without the checkpoint that it was written after. */
  static void checkCovered(LogPage page, long checkpointSeq, String path) throws FormatError {
    if (page.checkpointSeq() > checkpointSeq) {
      throw new FormatError(
          "checkpoint %s: the log was written after checkpoint %d, the one that is there says %d; restore the file, or move it and the slab file of the same size out of the directory to go on without their blocks; nothing has been changed"
              .formatted(path, page.checkpointSeq(), checkpointSeq));
    }
  }

  /** Begins to look at the slots of puts that are believed only if the slots hold them. */
  private void look(LogScan log, long flushed) {
    List<LogPage> pages = log.uncovered();
    pages.forEach(this::lookAhead);
    pages.stream().filter(page -> !believed(page, flushed)).forEach(this::beginChecks);
  }

  private void replay(LogScan log, long flushed) throws IOException {
    long missing = log.lastMissing();
    boolean whole = missing == 0;
    for (LogPage page : log.uncovered()) {
      if (!whole && page.seq() > missing) {
        giveUpAll();
        whole = true;
      }
      replay(page, flushed);
    }
  }

  private boolean believed(LogPage page, long flushed) {
    return page.seq() <= flushed || rules.believesUnread();
  }

  private void beginChecks(LogPage page) {
    for (PutRecord put : page.puts()) {
      if (isThere(put) && !isOver(page.seq(), put)) {
        tail.begin(page.seq(), put);
      }
    }
  }

  private boolean isThere(PutRecord put) {
    return put.slot() >= 0 && put.slot() < table.slots();
  }

  /** Whether a put never was, or is of a namespace that ended later. */
  private boolean isOver(long seq, PutRecord put) {
    return neverWere.contains(new TailCheck.Put(put.slot(), seq))
        || ends.getOrDefault(put.key().namespace(), 0L) > seq;
  }

  /**
   * A page of the log is lost. It may have ended any of the blocks that came before it, and what
   * was removed must not come back: a cache can be filled again.
   */
  private void giveUpAll() {
    int given = 0;
    for (int slot = 0; slot < table.slots(); slot++) {
      if (table.isLive(slot)) {
        table.clear(slot);
        given++;
      }
    }
    damages.add(
        new Damage(
            true,
            "pages of the log of %s are damaged; %d blocks were given up, because the pages may have ended them"
                .formatted(name, given)));
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
            neverWere.add(new TailCheck.Put(tombstone.slot(), tombstone.seq()));
          }
        }
        case NamespaceEnd end -> ends.merge(end.namespace(), page.seq(), Math::max);
      }
    }
  }

  private void replay(LogPage page, long flushed) throws IOException {
    boolean believed = believed(page, flushed);
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
    if (isThere(put)) {
      table.clear(put.slot());
    }
    if (isOver(seq, put)) {
      return;
    }
    if (!isThere(put)) {
      behindTheEnd.put(put.slot(), seq);
      return;
    }
    Bits128 print = fingerprints.of(put.key());
    int namespace = namespaces.of(put.key().namespace());
    if (print == null || namespace < 0 || (!believed && !tail.holds(seq, put))) {
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

  private void replayEnding(long seq, Ending ending) {
    switch (ending) {
      case Tombstone tombstone -> {
        int slot = tombstone.slot();
        Long behind = behindTheEnd.get(slot);
        if (behind != null && rules.tombstoneEnds(tombstone.seq(), behind)) {
          behindTheEnd.remove(slot);
        }
        if (slot >= 0
            && slot < table.slots()
            && table.isLive(slot)
            && rules.tombstoneEnds(tombstone.seq(), table.seq(slot))) {
          table.clear(slot);
        }
      }
      case NamespaceEnd end -> {
        int namespace = namespaces.find(end.namespace());
        if (namespace >= 0) {
          table.endNamespace(namespace, seq);
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
