package io.kvasir.plugin.local;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.Deadline;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.Executor;

/**
 * All blocks of one slot size: a slab file and its checkpoint. Safe for several threads, which wait
 * for those of the store.
 */
final class Slab {
  /**
   * @param growthSlots how many slots a growth adds at most
   * @param threads read and write blocks
   * @param upkeep runs growth and checkpoints
   * @param sightings what a block must be in to be admitted, or null
   */
  record Options(
      Durability durability,
      int growthSlots,
      Executor threads,
      Executor upkeep,
      Metrics metrics,
      Sightings sightings) {}

  /** What a slab holds. */
  record Usage(long blocks, long payloadBytes, long leasedBlocks) {}

  private final SlabFile file;
  private final SlabWriter writer;
  private final SlabState state;
  private final Fingerprints fingerprints;
  private final Executor threads;
  private final Metrics metrics;
  private final List<Recovery.Damage> damages;
  private volatile Throwable readTrouble;
  private int readers;
  private long lastSeen; // by the one thread that marks

  private Slab(
      SlabFile file,
      SlabWriter writer,
      Fingerprints fingerprints,
      Options options,
      List<Recovery.Damage> damages) {
    this.fingerprints = fingerprints;
    this.threads = options.threads();
    this.metrics = options.metrics();
    this.damages = damages;
    this.file = file;
    this.writer = writer;
    this.state = writer.state;
  }

  /** Recovers what the file holds; after an exception the file is closed. */
  static Slab open(
      Directory directory,
      SlabFile file,
      Fingerprints fingerprints,
      Options options,
      Space space,
      Rules rules)
      throws IOException {
    try {
      Recovery.Result recovered =
          new Recovery(file, directory, fingerprints, options.threads(), rules).run();
      SlabState state = new SlabState(recovered, options, rules);
      SlabWriter writer = new SlabWriter(directory, file, state, options, space, rules);
      writer.beginLife(recovered);
      return new Slab(file, writer, fingerprints, options, recovered.damages());
    } catch (IOException | RuntimeException e) {
      file.close();
      throw e;
    }
  }

  Header header() {
    return file.header();
  }

  /** Stores each block that is not there and ends each, by the deadline. */
  void save(List<Incoming> blocks, Deadline deadline) {
    int clock = locked(state::tick);
    int at = 0;
    while (at < blocks.size()) {
      int from = at;
      SlabWriter.Plan plan =
          writer.plan(blocks.size() - at, () -> planSave(blocks, from, clock), deadline);
      if (plan.batch() == null) {
        endRest(blocks.subList(at, blocks.size()), plan.refusal());
        break;
      }
      writer.write(plan.batch(), deadline);
      at = plan.batch().to();
    }
    awaitTwins(blocks, deadline);
  }

  private Batch planSave(List<Incoming> blocks, int from, int clock) {
    state.expireLeases(System.nanoTime());
    return state.planSave(blocks, from, clock, writer.isCrowded());
  }

  private void endRest(List<Incoming> blocks, BlockStatus status) {
    IOException cause = locked(writer::failure);
    for (Incoming block : blocks) {
      if (block.status == null && block.twin == null) {
        block.end(status, cause);
      }
    }
  }

  private void awaitTwins(List<Incoming> blocks, Deadline deadline) {
    writer.lock.lock();
    try {
      for (Incoming block : blocks) {
        while (block.twin != null && block.status == null) {
          if (block.twin.status != null) {
            block.end(block.twin.status, block.twin.cause);
          } else if (!writer.await(deadline)) {
            block.end(BlockStatus.TIMEOUT, null);
          }
        }
      }
    } finally {
      writer.lock.unlock();
    }
  }

  /**
   * Which of the blocks are there, and a lease on them if one can be given.
   *
   * @param prints fingerprints, two words each
   */
  SlotLease lookup(long[] prints, long expires) {
    return locked(() -> state.lease(prints, expires));
  }

  void release(SlotLease lease) {
    locked(
        () -> {
          state.release(lease);
          return null;
        });
  }

  /** Whether the lease was alive, and now lasts until {@code expires}. */
  boolean renew(SlotLease lease, long expires) {
    return locked(
        () -> {
          boolean alive = isHeld(lease);
          lease.expires = alive ? expires : lease.expires;
          return alive;
        });
  }

  boolean held(SlotLease lease) {
    return locked(() -> isHeld(lease));
  }

  private boolean isHeld(SlotLease lease) {
    return lease.held && System.nanoTime() - lease.expires < 0;
  }

  /**
   * Reads blocks side by side and ends each. What came off the disk is believed only if trailer and
   * checksums agree; if they do not and the slot has gone to another block meanwhile, that is a
   * miss.
   */
  void load(List<Outgoing> blocks, Deadline deadline) {
    int begun = beginReads(blocks);
    try (Tasks tasks = new Tasks(threads, metrics)) {
      for (Outgoing block : blocks) {
        if (block.status == null) {
          tasks.run(() -> read(block, deadline), cause -> failed(block, cause));
        }
      }
    }
    endReads(begun);
  }

  private int beginReads(List<Outgoing> blocks) {
    return locked(
        () -> {
          int begun = 0;
          for (Outgoing block : blocks) {
            int slot = state.table.find(block.print);
            if (writer.isClosed() || slot == SlotTable.NONE) {
              block.end(writer.isClosed() ? BlockStatus.CLOSED : BlockStatus.MISS, null);
            } else {
              block.slot = slot;
              block.entry = state.table.entry(slot);
              begun++;
            }
          }
          readers += begun;
          return begun;
        });
  }

  private void endReads(int begun) {
    locked(
        () -> {
          readers -= begun;
          if (writer.isClosed()) {
            writer.changed.signalAll();
          }
          return null;
        });
  }

  private void read(Outgoing block, Deadline deadline) throws IOException {
    if (deadline.expired()) {
      block.end(BlockStatus.TIMEOUT, null);
      return;
    }
    long start = System.nanoTime();
    file.readSlot(block.slot, block.frame);
    metrics.reads.since(start);
    if (isBlock(block.frame, block.slot, block.key, block.entry)) {
      readTrouble = null;
      block.end(BlockStatus.OK, null);
    } else {
      block.end(notThere(block.slot, block.entry.seq()), null);
    }
  }

  /**
   * Reads the first block at {@code from} or behind it, and puts it out of use if it is damaged.
   *
   * @param frame one whole slot
   * @return the slot that was read, or -1 if there was none
   */
  int verify(int from, MemorySegment frame) {
    Outgoing[] block = new Outgoing[1];
    locked(
        () -> {
          int slot = writer.isClosed() ? SlotTable.NONE : state.table.nextLive(from);
          if (slot != SlotTable.NONE) {
            SlotTable.Entry entry = state.table.entry(slot);
            block[0] = new Outgoing(null, entry.print(), frame);
            block[0].slot = slot;
            block[0].entry = entry;
            readers++;
          }
          return null;
        });
    if (block[0] == null) {
      return SlotTable.NONE;
    }
    try {
      file.readSlot(block[0].slot, frame);
      Trailer trailer = Trailer.read(frame);
      boolean whole =
          trailer != null
              && block[0].print.equals(fingerprints.of(trailer.put().key()))
              && isBlock(frame, block[0].slot, trailer.put().key(), block[0].entry);
      if (!whole) {
        notThere(block[0].slot, block[0].entry.seq());
      }
      metrics.add(Metrics.Count.SCRUBBED, 1);
    } catch (IOException | RuntimeException e) {
      readTrouble = e;
    } finally {
      endReads(1);
    }
    return block[0].slot;
  }

  private void failed(Outgoing block, Throwable cause) {
    readTrouble = cause;
    block.end(BlockStatus.IO, cause);
  }

  private boolean isBlock(MemorySegment frame, int slot, Key key, SlotTable.Entry entry) {
    Trailer trailer = Trailer.read(frame);
    return trailer != null
        && trailer.storeId() == header().storeId()
        && trailer.slot() == slot
        && (trailer.seq() == entry.seq() || entry.seq() == SlotTable.FROM_CHECKPOINT)
        && trailer.put().key().equals(key)
        && trailer.put().length() == entry.length()
        && trailer.put().crc() == entry.crc()
        && trailer.guards(frame);
  }

  private BlockStatus notThere(int slot, long seq) {
    return locked(
        () -> {
          if (!state.table.holds(slot, seq)) {
            return BlockStatus.MISS;
          }
          state.quarantine(slot);
          return BlockStatus.CORRUPT;
        });
  }

  /**
   * Removes the blocks that are there; {@code OK} once that is durable. One that was not found may
   * be on its way out by an eviction whose tombstone is not flushed yet: it must not come back
   * either.
   */
  BlockStatus remove(List<Bits128> prints, Deadline deadline) {
    int at = 0;
    while (at < prints.size()) {
      int from = at;
      SlabWriter.Plan plan =
          writer.plan(
              0, () -> state.anyPending(prints) ? null : state.planRemove(prints, from), deadline);
      BlockStatus failed = finish(plan, deadline);
      if (failed != BlockStatus.OK) {
        return failed;
      }
      at = plan.batch().to();
    }
    return writer.settle(deadline);
  }

  /** Ends all blocks of a namespace with one record; {@code OK} once that is durable. */
  BlockStatus endNamespace(Bits128 namespace, Deadline deadline) {
    SlabWriter.Plan plan = writer.planAlone(() -> state.planNamespaceEnd(namespace), deadline);
    BlockStatus status = finish(plan, deadline);
    for (int at = 0; status == BlockStatus.OK && at != SlotTable.NONE; ) {
      int from = at;
      at =
          locked(
              () -> {
                writer.changed.signalAll(); // there are free slots
                return state.sweep(namespace, plan.batch().seq(), from);
              });
    }
    return status;
  }

  private BlockStatus finish(SlabWriter.Plan plan, Deadline deadline) {
    if (plan.batch() == null) {
      return plan.refusal();
    }
    return writer.write(plan.batch(), deadline) ? BlockStatus.OK : BlockStatus.IO;
  }

  /** Writes down that all is flushed, if nothing happens at the moment. */
  void mark() throws IOException {
    writer.mark();
  }

  /** Marks if nothing has happened since the last call. */
  void markIfIdle() throws IOException {
    long last = lastSeq();
    boolean idle = last == lastSeen;
    lastSeen = last;
    if (idle) {
      writer.mark();
    }
  }

  /**
   * Ends new work, waits for what runs, and closes; false if something still ran at the deadline.
   */
  boolean close(Deadline deadline) throws IOException {
    boolean idle = awaitIdle(deadline);
    try (file) {
      if (idle) {
        writer.mark();
      }
    }
    return idle;
  }

  /** Blocks and payload bytes of one namespace. */
  Usage usage(Bits128 namespace) {
    return locked(
        () -> {
          int number = state.namespaces.find(namespace);
          NamespaceCounts counts = state.table.namespaces();
          return number < 0
              ? new Usage(0, 0, 0)
              : new Usage(counts.blocks(number), counts.bytes(number), 0);
        });
  }

  private boolean awaitIdle(Deadline deadline) {
    writer.lock.lock();
    try {
      writer.close();
      boolean waiting = true;
      while (waiting && isBusy()) {
        waiting = writer.await(deadline);
      }
      return !isBusy();
    } finally {
      writer.lock.unlock();
    }
  }

  /** Whether anything is under way, in the background too. */
  boolean works() {
    return locked(this::isBusy);
  }

  private boolean isBusy() {
    return readers > 0 || state.inFlight() > 0 || writer.isBusy();
  }

  /** The failure after which this slab serves reads only, or null. */
  IOException failure() {
    return locked(writer::failure);
  }

  /** What the last write or read of a block failed with, or null. */
  Throwable trouble() {
    Throwable write = writer.trouble();
    return write == null ? readTrouble : write;
  }

  /** What the opening found wrong on the disk. */
  List<Recovery.Damage> damages() {
    return damages;
  }

  int corruptBlocks() {
    return locked(state.table::quarantinedCount);
  }

  boolean contains(Bits128 print) {
    return locked(() -> state.table.find(print) != SlotTable.NONE);
  }

  /** Sequences above this one are those of batches to come. */
  long lastSeq() {
    return locked(state::lastSeq);
  }

  SlotTable.Census census() {
    return locked(state.table::census);
  }

  Usage usage() {
    return locked(
        () ->
            new Usage(state.table.liveCount(), state.table.liveBytes(), state.table.leasedCount()));
  }

  private <T> T locked(java.util.function.Supplier<T> action) {
    writer.lock.lock();
    try {
      return action.get();
    } finally {
      writer.lock.unlock();
    }
  }
}
