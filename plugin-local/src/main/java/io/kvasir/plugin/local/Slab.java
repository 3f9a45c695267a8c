package io.kvasir.plugin.local;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.Deadline;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * All blocks of one slot size: a slab file and its checkpoint. Safe for several threads, which wait
 * for those of the store.
 */
final class Slab {
  /**
   * @param growthSlots how many slots a growth adds at most
   * @param sightings what a block must be in to be admitted, or null
   */
  record Options(
      Durability durability,
      int growthSlots,
      StoreThreads threads,
      Metrics metrics,
      Sightings sightings) {}

  /** What a slab holds. */
  record Usage(long blocks, long payloadBytes, long leasedBlocks) {}

  private final SlabFile file;
  private final SlabWriter writer;
  private final SlabState state;
  private final SlabReader reader;
  private final List<Recovery.Damage> damages;
  private long lastSeen; // by the one thread that marks

  private Slab(
      SlabFile file,
      SlabWriter writer,
      Fingerprints fingerprints,
      Options options,
      List<Recovery.Damage> damages) {
    this.file = file;
    this.writer = writer;
    this.state = writer.state;
    this.reader = new SlabReader(file, writer, fingerprints, options);
    this.damages = damages;
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
      SlabState state = new SlabState(recovered, options, space, rules);
      SlabWriter writer = new SlabWriter(directory, file, state, options, space, rules);
      writer.beginLife(recovered);
      return new Slab(file, writer, fingerprints, options, recovered.damages());
    } catch (IOException | RuntimeException | Error e) {
      file.close();
      throw e;
    }
  }

  Header header() {
    return file.header();
  }

  /** Stores each block that is not there and ends each, by the deadline. */
  void save(List<Incoming> blocks, Deadline deadline) {
    int clock = writer.locked(state::tick);
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
    IOException cause = writer.locked(writer::failure);
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
    return writer.locked(() -> state.lease(prints, expires));
  }

  void release(SlotLease lease) {
    writer.locked(
        () -> {
          state.release(lease);
          return null;
        });
  }

  /** Whether the lease was alive, and now lasts until {@code expires}. */
  boolean renew(SlotLease lease, long expires) {
    return writer.locked(
        () -> {
          boolean alive = isHeld(lease);
          lease.expires = alive ? expires : lease.expires;
          return alive;
        });
  }

  boolean held(SlotLease lease) {
    return writer.locked(() -> isHeld(lease));
  }

  private boolean isHeld(SlotLease lease) {
    return lease.held && System.nanoTime() - lease.expires < 0;
  }

  /** See {@link SlabReader#load}. */
  void load(List<Outgoing> blocks, Deadline deadline) {
    reader.load(blocks, deadline);
  }

  /** See {@link SlabReader#verify}. */
  int verify(int from, MemorySegment frame) {
    return reader.verify(from, frame);
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
          writer.locked(
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

  /** Pages of namespaces in a checkpoint, without the first, for which room was taken. */
  int morePagesOfNamespaces() {
    return state.morePagesOfNamespaces();
  }

  /** Takes room for a namespace that comes; false if there is none. */
  boolean makeRoomFor(Bits128 namespace) {
    return writer.locked(() -> state.hasRoomFor(namespace));
  }

  /** Blocks and payload bytes of one namespace. */
  Usage usage(Bits128 namespace) {
    return writer.locked(
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
    return writer.locked(this::isBusy);
  }

  private boolean isBusy() {
    return reader.isBusy() || state.inFlight() > 0 || writer.isBusy();
  }

  /** The failure after which this slab serves reads only, or null. */
  IOException failure() {
    return writer.locked(writer::failure);
  }

  /** What the last write or read of a block failed with, or null. */
  Throwable trouble() {
    Throwable write = writer.trouble();
    return write == null ? reader.trouble() : write;
  }

  /** What the opening found wrong on the disk. */
  List<Recovery.Damage> damages() {
    return damages;
  }

  int corruptBlocks() {
    return writer.locked(state.table::quarantinedCount);
  }

  boolean contains(Bits128 print) {
    return writer.locked(() -> state.table.find(print) != SlotTable.NONE);
  }

  /** Sequences above this one are those of batches to come. */
  long lastSeq() {
    return writer.locked(state::lastSeq);
  }

  SlotTable.Census census() {
    return writer.locked(state.table::census);
  }

  Usage usage() {
    return writer.locked(
        () ->
            new Usage(state.table.liveCount(), state.table.liveBytes(), state.table.leasedCount()));
  }
}
