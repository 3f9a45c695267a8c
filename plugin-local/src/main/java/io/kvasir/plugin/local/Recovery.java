package io.kvasir.plugin.local;

import io.kvasir.plugin.local.LogPage.Ending;
import io.kvasir.plugin.local.LogPage.NamespaceEnd;
import io.kvasir.plugin.local.LogPage.Tombstone;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;

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

  private record Put(int slot, long seq) {}

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
  private final Set<Put> neverWere = new HashSet<>();
  private final Map<Bits128, Long> ends = new HashMap<>();
  private final Map<Integer, Long> behindTheEnd = new HashMap<>(); // sequences by slot
  private final MemorySegment buffer;
  private final Executor threads;
  private int clock;

  /**
   * @param threads read the log meanwhile
   */
  Recovery(
      SlabFile slab,
      Directory directory,
      Fingerprints fingerprints,
      Executor threads,
      Rules rules) {
    this.threads = threads;
    this.slab = slab;
    this.directory = directory;
    this.fingerprints = fingerprints;
    this.rules = rules;
    this.storeId = slab.header().storeId();
    this.name = SlabFile.name(slab.header().slotBytes());
    this.buffer = Layout.pages(slab.header().slotBytes() / Layout.PAGE);
  }

  Result run() throws IOException {
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
    FutureTask<LogScan> scan =
        new FutureTask<>(() -> LogScan.read(slab, checkpoint.seq(), ring, rules));
    threads.execute(scan); // beside the checkpoint: each takes as long as the other
    LogScan log;
    try {
      grow(checkpoint.slots());
      if (reader != null) {
        load(reader);
      }
    } finally {
      log = result(scan);
    }
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
    table.loaded();
  }

  /** The log is not to be believed without the checkpoint that it was written after. */
  static void checkCovered(LogPage page, long checkpointSeq, String path) throws FormatError {
    if (page.checkpointSeq() > checkpointSeq) {
      throw new FormatError(
          "checkpoint %s: the log was written after checkpoint %d, the one that is there says %d; restore the file, or move it and the slab file of the same size out of the directory to go on without their blocks; nothing has been changed"
              .formatted(path, page.checkpointSeq(), checkpointSeq));
    }
  }

  private static LogScan result(FutureTask<LogScan> scan) throws IOException {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return scan.get();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } catch (ExecutionException e) {
      throw e.getCause() instanceof IOException io ? io : new IOException(e.getCause());
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private void replay(LogScan log, long flushed) throws IOException {
    List<LogPage> pages = log.uncovered();
    long missing = log.lastMissing();
    pages.forEach(this::lookAhead);
    boolean whole = missing == 0;
    for (LogPage page : pages) {
      if (!whole && page.seq() > missing) {
        giveUpAll();
        whole = true;
      }
      replay(page, flushed);
    }
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
    boolean there = put.slot() >= 0 && put.slot() < table.slots();
    if (there) {
      table.clear(put.slot());
    }
    if (neverWere.contains(new Put(put.slot(), seq))
        || ends.getOrDefault(put.key().namespace(), 0L) > seq) {
      return;
    }
    if (!there) {
      behindTheEnd.put(put.slot(), seq);
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
