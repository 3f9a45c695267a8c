package io.kvasir.plugin.local;

import io.kvasir.api.BlockStatus;
import io.kvasir.plugin.local.LogPage.Ending;
import io.kvasir.plugin.local.LogPage.Kind;
import io.kvasir.plugin.local.LogPage.NamespaceEnd;
import io.kvasir.plugin.local.LogPage.Tombstone;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What a slab knows, in memory: plans batches and takes in their ends. No I/O and no waiting; all
 * methods are called under the lock of the slab.
 */
final class SlabState {
  final SlotTable table;
  final NamespaceNumbers namespaces;
  final Ring ring;
  private final Metrics metrics;
  private final Sightings sightings; // null: all are admitted
  private final Rules rules;
  private final Space space;
  private final Map<Bits128, Incoming> pending = new HashMap<>();
  private final TreeSet<Long> ahead = new TreeSet<>();
  private final Set<SlotLease> leases = new LinkedHashSet<>();
  private long firstExpiry; // no lease ends before it
  private final ArrayDeque<Tombstone> owed = new ArrayDeque<>();
  private final long life;
  private long lastSeq;
  private long flushedThrough;
  private long highestFlushed;
  private int clock;
  private final TreeSet<Long> inFlight = new TreeSet<>();
  private final AtomicInteger morePages;

  /**
   * @param space for what many namespaces take
   */
  SlabState(Recovery.Result recovered, Slab.Options options, Space space, Rules rules) {
    this.space = space;
    this.metrics = options.metrics();
    this.sightings = options.sightings();
    this.table = recovered.table();
    this.namespaces = recovered.namespaces();
    this.morePages = new AtomicInteger(namespaces.morePages());
    this.ring = recovered.ring();
    this.rules = rules;
    this.life = recovered.life() + 1;
    this.clock = recovered.clock();
    this.lastSeq = rules.firstSeq(recovered.highestSeq()) - 1;
    this.flushedThrough =
        recovered.rejected().isEmpty() ? recovered.highestSeq() : recovered.flushedThrough();
  }

  int tick() {
    return ++clock;
  }

  int inFlight() {
    return inFlight.size();
  }

  /** Whether a batch up to this one is still on its way to the log. */
  boolean writesUpTo(long seq) {
    return !inFlight.isEmpty() && inFlight.first() <= seq;
  }

  long lastSeq() {
    return lastSeq;
  }

  long flushedThrough() {
    return flushedThrough;
  }

  /**
   * All that is in the log or was rejected is settled: from here on {@code flushedThrough} is
   * contiguous.
   */
  void settled() {
    flushedThrough = lastSeq;
    highestFlushed = lastSeq;
    ahead.clear();
  }

  /**
   * A batch takes at most an eighth of the slots, so that a small store need not empty itself for
   * one.
   */
  int batchPuts() {
    return Math.clamp(table.slots() / 8, 1, LogPage.MAX_PUTS);
  }

  /** Free slots to keep for the batches that come while tombstones wait for their flush. */
  private int spare() {
    return Math.min(4 * LogPage.MAX_PUTS, table.slots() / 4);
  }

  boolean low(int wanted) {
    return table.freeCount() < Math.min(wanted, batchPuts()) + spare();
  }

  /**
   * Plans the next batch of a call; null if there is neither a slot nor a victim now. The ring must
   * not be full.
   */
  Batch planSave(List<Incoming> blocks, int from, int now, boolean crowded) {
    List<Incoming> puts = new ArrayList<>();
    int at = from;
    while (at < blocks.size() && puts.size() < batchPuts() && admit(blocks.get(at), now, puts)) {
      at++;
    }
    List<Ending> endings = new ArrayList<>();
    List<Integer> ending = new ArrayList<>();
    payOwed(endings, LogPage.MAX_ENDINGS);
    if (crowded && (at < blocks.size() || !puts.isEmpty())) {
      int wanted = Math.max(1, puts.size()) + spare() - table.freeCount() - table.endingCount();
      evict(wanted, endings, ending);
    }
    if (puts.isEmpty() && endings.isEmpty()) {
      return at == from ? null : empty(from, at);
    }
    return batch(Kind.BATCH, now, puts, endings, ending, from, at);
  }

  /**
   * Whether the block needs nothing more than the batch gives it; false if it has to wait for a
   * slot.
   */
  private boolean admit(Incoming block, int now, List<Incoming> puts) {
    int there = table.find(block.print);
    if (there != SlotTable.NONE) {
      table.touch(there, now);
      block.end(BlockStatus.OK, null);
      return true;
    }
    Incoming twin = pending.get(block.print);
    if (twin != null) {
      block.twin = twin;
      return true;
    }
    if (!hasRoomFor(block.key.namespace()) || namespaces.of(block.key.namespace()) < 0) {
      block.end(BlockStatus.CAPACITY, null);
      return true;
    }
    if (table.freeCount() == 0) {
      return false;
    }
    if (sightings != null && !sightings.again(block.print)) {
      block.end(BlockStatus.CAPACITY, null);
      metrics.add(Metrics.Count.BLOCKS_NOT_ADMITTED, 1);
      return true;
    }
    block.slot = table.take();
    pending.put(block.print, block);
    puts.add(block);
    return true;
  }

  /** Whether a namespace has a number or can have one; takes the room for it. */
  boolean hasRoomFor(Bits128 namespace) {
    if (namespaces.find(namespace) >= 0 || namespaces.morePagesWithNext() <= morePages.get()) {
      return true;
    }
    boolean room = space.reserveLittle(NamespaceNumbers.PAGE_BYTES);
    morePages.addAndGet(room ? 1 : 0);
    return room;
  }

  /**
   * Pages of namespaces in a checkpoint, without the first, for which room was taken. Needs no
   * lock: another slab asks while it holds its own.
   */
  int morePagesOfNamespaces() {
    return morePages.get();
  }

  private void evict(int wanted, List<Ending> endings, List<Integer> ending) {
    for (int i = 0; i < wanted && endings.size() < LogPage.MAX_ENDINGS; i++) {
      int slot = table.victim(clock, rules);
      if (slot == SlotTable.NONE) {
        return;
      }
      metrics.add(Metrics.Count.BLOCKS_EVICTED, 1);
      metrics.add(Metrics.Count.BYTES_EVICTED, table.entry(slot).length());
      endSlot(slot, endings, ending);
    }
  }

  /** The index entry leaves before the tombstone is written (I13). */
  private void endSlot(int slot, List<Ending> endings, List<Integer> ending) {
    endings.add(new Tombstone(slot, table.seq(slot), table.hint(slot)));
    table.end(slot);
    if (rules.reusesBeforeFlush()) {
      table.free(slot);
    } else {
      ending.add(slot);
    }
  }

  private void payOwed(List<Ending> endings, int room) {
    while (!owed.isEmpty() && endings.size() < room) {
      endings.add(owed.poll());
    }
  }

  /** Plans the removal of the blocks that are there. */
  Batch planRemove(List<Bits128> prints, int from) {
    List<Ending> endings = new ArrayList<>();
    List<Integer> ending = new ArrayList<>();
    int at = from;
    for (; at < prints.size() && endings.size() < LogPage.MAX_ENDINGS_ALONE; at++) {
      int slot = table.find(prints.get(at));
      if (slot != SlotTable.NONE) {
        endSlot(slot, endings, ending);
      }
    }
    return endings.isEmpty()
        ? empty(from, at)
        : batch(Kind.BATCH, clock, List.of(), endings, ending, from, at);
  }

  /** A batch that needs no disk: all of its blocks are there already, or none is. */
  private Batch empty(int from, int to) {
    return new Batch(Kind.BATCH, 0, SlotTable.NONE, 0, List.of(), List.of(), List.of(), from, to);
  }

  boolean anyPending(List<Bits128> prints) {
    return !pending.isEmpty() && prints.stream().anyMatch(pending::containsKey);
  }

  /**
   * Plans the end of a namespace: one record, and its blocks are unreachable from now on. Nothing
   * may be in flight. Once the batch is written, {@link #sweep} frees the slots.
   */
  Batch planNamespaceEnd(Bits128 namespace) {
    List<Ending> endings = List.of(new NamespaceEnd(namespace));
    Batch batch = batch(Kind.BATCH, clock, List.of(), endings, List.of(), 0, 0);
    int number = namespaces.find(namespace);
    if (number >= 0) {
      table.endNamespace(number, batch.seq());
    }
    return batch;
  }

  /**
   * Frees some slots, from {@code from} on, of a namespace that ended at {@code seq}; a slice, so
   * that nobody waits for all of them. Returns where to go on, or {@link SlotTable#NONE}.
   */
  int sweep(Bits128 namespace, long seq, int from) {
    int number = namespaces.find(namespace);
    int to = Math.min(table.slots(), from + Chunks.SIZE);
    if (number >= 0) {
      table.sweep(number, seq, from, to);
    }
    return number >= 0 && to < table.slots() ? to : SlotTable.NONE;
  }

  /** Plans a page without puts: the mark of an idle store, or what a recovery rejected. */
  Batch planPage(Kind kind, List<Ending> endings) {
    List<Ending> all = new ArrayList<>(endings);
    payOwed(all, LogPage.MAX_ENDINGS_ALONE);
    return batch(kind, clock, List.of(), all, List.of(), 0, 0);
  }

  private Batch batch(
      Kind kind,
      int now,
      List<Incoming> puts,
      List<Ending> endings,
      List<Integer> ending,
      int from,
      int to) {
    long seq = ++lastSeq;
    inFlight.add(seq);
    if (rules.publishesEarly()) {
      puts.forEach(put -> publish(seq, now, put));
    }
    return new Batch(kind, seq, ring.reserve(seq), now, puts, endings, ending, from, to);
  }

  /**
   * The page of a batch, as late as it is written: {@code flushed_through} may have advanced since
   * it was planned.
   */
  LogPage page(Batch batch) {
    List<PutRecord> records =
        batch.puts().stream()
            .filter(put -> put.status == null)
            .map(put -> record(batch, put))
            .toList();
    long flushed = rules.flushedThrough(flushedThrough, highestFlushed, batch.seq());
    return new LogPage(
        batch.kind(), life, batch.seq(), flushed, ring.checkpointSeq(), records, batch.endings());
  }

  PutRecord record(Batch batch, Incoming put) {
    return new PutRecord(
        put.slot, put.key, put.length, put.crc, put.depth, batch.clock(), put.parent);
  }

  /**
   * Takes in a batch whose records are in the log and, unless the store does not flush, durable.
   */
  void written(Batch batch, boolean flushed) {
    inFlight.remove(batch.seq());
    if (flushed) {
      flushed(List.of(batch.seq()));
    }
    for (Incoming put : batch.puts()) {
      pending.remove(put.print, put);
      if (put.status == null) {
        if (!rules.publishesEarly()) {
          publish(batch.seq(), batch.clock(), put);
        }
        put.end(BlockStatus.OK, null);
        metrics.add(Metrics.Count.BLOCKS_IN, 1);
        metrics.add(Metrics.Count.BYTES_IN, put.length);
      } else {
        table.free(put.slot);
      }
    }
    batch.ending().forEach(table::free);
  }

  private void publish(long seq, int now, Incoming put) {
    int namespace = namespaces.of(put.key.namespace());
    table.publish(
        put.slot,
        new SlotTable.Entry(put.print, seq, put.crc, put.length, now, put.depth, namespace));
  }

  /**
   * Takes in a batch that failed for good: its slots stay out of use until a recovery has looked at
   * them.
   */
  void failed(Batch batch, BlockStatus status, Throwable cause) {
    inFlight.remove(batch.seq());
    for (Incoming put : batch.puts()) {
      pending.remove(put.print, put);
      if (put.status == null) {
        put.end(status, cause);
      }
    }
  }

  /** Notes batches as durable and advances over the contiguous run (I3). */
  void flushed(List<Long> seqs) {
    ahead.addAll(seqs);
    highestFlushed = Math.max(highestFlushed, ahead.isEmpty() ? 0 : ahead.last());
    while (ahead.remove(flushedThrough + 1)) {
      flushedThrough++;
    }
  }

  void quarantine(int slot) {
    owed.add(new Tombstone(slot, table.seq(slot), table.hint(slot)));
    table.quarantine(slot);
    metrics.add(Metrics.Count.BLOCKS_QUARANTINED, 1);
    metrics.add(Metrics.Count.BYTES_QUARANTINED, table.entry(slot).length());
  }

  boolean owes() {
    return !owed.isEmpty();
  }

  /**
   * Which of the blocks are there; held if all of them can be, under the same lock as the search
   * (I11).
   *
   * @param prints fingerprints, two words each
   */
  SlotLease lease(long[] prints, long expires) {
    int[] slots = new int[prints.length / 2];
    long[] seqs = new long[slots.length];
    int most = table.slots() / 2 - table.leasedCount();
    boolean sure = slots.length <= most;
    int count = table.find(prints, slots, seqs, tick(), sure);
    SlotLease lease = new SlotLease(slots, seqs, count);
    if (count > 0 && count <= most) {
      for (int i = 0; i < slots.length && !sure; i++) {
        if (slots[i] != SlotTable.NONE) {
          table.lease(slots[i]);
        }
      }
      lease.held = true;
      lease.expires = expires;
      leases.add(lease);
      firstExpiry = leases.size() == 1 || expires - firstExpiry < 0 ? expires : firstExpiry;
    }
    return lease;
  }

  void release(SlotLease lease) {
    if (lease.held) {
      lease.held = false;
      leases.remove(lease);
      for (int i = 0; i < lease.slots.length; i++) {
        if (lease.slots[i] != SlotTable.NONE) {
          table.release(lease.slots[i], lease.seqs[i]);
        }
      }
    }
  }

  void expireLeases(long now) {
    if (leases.isEmpty() || now - firstExpiry < 0) {
      return;
    }
    for (SlotLease lease : List.copyOf(leases)) {
      if (now - lease.expires >= 0) {
        release(lease);
      }
    }
    leases.stream()
        .min((one, other) -> Long.signum(one.expires - other.expires))
        .ifPresent(next -> firstExpiry = next.expires);
  }
}
