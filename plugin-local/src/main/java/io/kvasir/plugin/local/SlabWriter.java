package io.kvasir.plugin.local;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.Deadline;
import io.kvasir.plugin.local.LogPage.Ending;
import io.kvasir.plugin.local.LogPage.Kind;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * When batches go to the disk. What is decided is decided under the lock by {@link SlabState}; what
 * touches the disk happens outside of it, in the order that the invariants ask for: batches by
 * their callers and a {@link BatchWriter}, growth and checkpoints in the background.
 */
final class SlabWriter {
  final ReentrantLock lock = new ReentrantLock();
  final Condition changed = lock.newCondition();
  final SlabState state;
  final Growth growth;
  private final SlabFile file;
  private final Durability durability;
  private final Executor upkeep;
  private final Metrics metrics;
  private final GroupFlush flush;
  private final BatchWriter batches;
  private final CheckpointWriter checkpoints;
  private final AtomicReference<Throwable> trouble = new AtomicReference<>();
  private Thread barrier;
  private long marked;
  private boolean closed;
  private boolean crowded;
  private IOException failure;

  SlabWriter(
      Directory directory,
      SlabFile file,
      SlabState state,
      Slab.Options options,
      Space space,
      Rules rules) {
    this.file = file;
    this.state = state;
    this.durability = options.durability();
    this.upkeep = options.threads().upkeep();
    this.metrics = options.metrics();
    this.flush = new GroupFlush(file.file(), options.metrics());
    this.batches = new BatchWriter(lock, file, state, flush, options, trouble);
    this.growth = new Growth(file, flush, space, options.growthSlots(), rules, trouble);
    this.checkpoints = new CheckpointWriter(lock, changed, directory, file, state, flush, rules);
  }

  <T> T locked(Supplier<T> action) {
    lock.lock();
    try {
      return action.get();
    } finally {
      lock.unlock();
    }
  }

  // ---- under the lock

  /** Why nothing can be written, or null. */
  BlockStatus refusal() {
    return closed ? BlockStatus.CLOSED : failure == null ? null : Failures.status(failure);
  }

  /** What the last write of a block failed with, or null; such a failure is not final. */
  Throwable trouble() {
    return trouble.get();
  }

  /** Whether the batch that is being planned finds few free slots and the file cannot grow. */
  boolean isCrowded() {
    return crowded;
  }

  boolean isClosed() {
    return closed;
  }

  IOException failure() {
    return failure;
  }

  void close() {
    closed = true;
    changed.signalAll();
  }

  /** Waits for a change; false once the deadline has passed. An interrupt ends no wait. */
  boolean await(Deadline deadline) {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return changed.awaitNanos(deadline.remainingNanos()) > 0;
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  // ---- not under the lock

  /** What planning came to: a batch to write, or why there is none. */
  record Plan(Batch batch, BlockStatus refusal) {}

  private enum Step {
    PLAN,
    WAIT,
    AGAIN,
    NO_ROOM
  }

  /**
   * Plans a batch as soon as the ring has a page for it; starts growths and checkpoints on the way.
   *
   * @param slots how many slots the caller would like to have
   * @param planner called under the lock; null makes it wait for the end of other batches
   */
  Plan plan(int slots, Supplier<Batch> planner, Deadline deadline) {
    lock.lock();
    try {
      boolean tried = false;
      while (true) {
        BlockStatus refusal = refusal();
        if (refusal != null) {
          return new Plan(null, refusal);
        }
        if (deadline.expired()) {
          return new Plan(null, BlockStatus.TIMEOUT);
        }
        Step step = nextStep(slots, tried);
        if (step == Step.PLAN) {
          Batch batch = planner.get();
          if (batch != null) {
            return new Plan(batch, null);
          }
          step = state.inFlight() == 0 && !growth.running() ? Step.NO_ROOM : Step.WAIT;
        }
        tried |= step == Step.AGAIN || checkpoints.running();
        if (step == Step.NO_ROOM) {
          return new Plan(null, BlockStatus.CAPACITY);
        }
        if (step == Step.WAIT && !await(deadline)) {
          return new Plan(null, BlockStatus.TIMEOUT);
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * @param tried whether this call has waited for a checkpoint
   */
  private Step nextStep(int slots, boolean tried) {
    if (barrier != null && barrier != Thread.currentThread()) {
      return Step.WAIT;
    }
    boolean low = slots > 0 && state.low(slots);
    if (low && growth.begin()) {
      inBackground(this::grow, growth::end);
      if (!growth.running()) {
        return Step.AGAIN;
      }
    }
    crowded = low && !growth.running();
    if (state.ring.full()) {
      if (tried && checkpoints.isBlocked() && !checkpoints.running()) {
        return Step.NO_ROOM;
      }
      boolean begun = checkpointIfItFrees(1);
      return begun && !checkpoints.running() ? Step.AGAIN : Step.WAIT;
    }
    if (state.ring.filling() && !checkpoints.isBlocked()) {
      checkpointIfItFrees(state.ring.pages() / 4);
    }
    return Step.PLAN;
  }

  private boolean checkpointIfItFrees(int pages) {
    boolean frees = checkpoints.frees(pages);
    if (frees) {
      checkpoints.begin();
      inBackground(this::checkpoint, checkpoints::abandon);
    }
    return frees;
  }

  private void inBackground(Runnable task, Runnable refused) {
    try {
      upkeep.execute(task);
    } catch (RejectedExecutionException e) { // the store was closed and waits no longer
      refused.run();
    }
  }

  /** Writes a batch and takes in its end; false if the slab serves reads only from now on. */
  boolean write(Batch batch, Deadline deadline) {
    if (batch.page() == SlotTable.NONE) {
      return true;
    }
    try {
      batches.write(batch, deadline);
    } catch (IOException e) {
      fail(batch, e);
      return false;
    }
    lock.lock();
    try {
      state.written(batch, durability != Durability.NONE);
      if (batch.puts().stream().anyMatch(put -> put.status == BlockStatus.OK)) {
        trouble.set(null);
      }
      if (durability == Durability.NONE) {
        checkpoints.addUnflushed(batch.seq());
      }
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    return true;
  }

  /**
   * Waits until all batches that are under way now are in the log and, in a store that flushes,
   * durable.
   */
  BlockStatus settle(Deadline deadline) {
    lock.lock();
    try {
      long last = state.lastSeq();
      while (!settled(last)) {
        if (failure != null) {
          return BlockStatus.IO;
        }
        if (!await(deadline)) {
          return BlockStatus.TIMEOUT;
        }
      }
      return BlockStatus.OK;
    } finally {
      lock.unlock();
    }
  }

  /** A batch that failed is not under way any more either, and has settled nothing. */
  private boolean settled(long last) {
    return durability == Durability.NONE
        ? failure == null && !state.writesUpTo(last)
        : state.flushedThrough() >= last;
  }

  /**
   * A failed flush or log write is final: what it left on the disk is known after the next recovery
   * only.
   */
  private void fail(Batch batch, IOException e) {
    lock.lock();
    try {
      if (failure == null) {
        failure = e;
      }
      if (batch != null) {
        state.failed(batch, Failures.status(e), e);
      }
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Makes all batches wait until the planner of this thread has had the file for itself. */
  Plan planAlone(Supplier<Batch> planner, Deadline deadline) {
    lock.lock();
    try {
      while (barrier != null) {
        if (!await(deadline)) {
          return new Plan(null, BlockStatus.TIMEOUT);
        }
      }
      barrier = Thread.currentThread();
    } finally {
      lock.unlock();
    }
    try {
      return plan(0, () -> state.inFlight() == 0 ? planner.get() : null, deadline);
    } finally {
      lock.lock();
      try {
        barrier = null;
        changed.signalAll();
      } finally {
        lock.unlock();
      }
    }
  }

  private void grow() {
    Header grown = null;
    try {
      grown = growth.write();
    } catch (IOException | RuntimeException e) {
      fail(null, Failures.io(e));
    }
    lock.lock();
    try {
      if (grown != null) {
        int before = state.table.slots();
        file.grown(grown);
        state.table.grow(grown.slots());
        state.table.freeAllTaken(before);
      }
      growth.end();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void checkpoint() {
    try {
      checkpoints.write();
      metrics.add(Metrics.Count.CHECKPOINTS, 1);
    } catch (IOException | RuntimeException e) {
      fail(null, Failures.io(e));
    }
  }

  /** Whether a growth or a checkpoint is under way. */
  boolean isBusy() {
    return growth.running() || checkpoints.running();
  }

  /** Ends what recovery rejected, by tombstones or by a checkpoint, before the first put (I7). */
  void beginLife(Recovery.Result recovered) throws IOException {
    List<Ending> rejected = recovered.rejected();
    if (!recovered.damages().isEmpty()) {
      file.rewriteHeader();
    }
    boolean lossy = recovered.damages().stream().anyMatch(Recovery.Damage::lossy);
    if (lossy || state.ring.freeRun() <= 1 + rejected.size() / LogPage.MAX_ENDINGS_ALONE) {
      checkpoints.write(recovered.highestSeq(), state.table.slots());
      rejected = List.of();
    }
    Kind kind = rejected.isEmpty() ? Kind.MARK : Kind.REJECTION;
    int from = 0;
    do {
      int to = Math.min(rejected.size(), from + LogPage.MAX_ENDINGS_ALONE);
      Batch batch = state.planPage(kind, rejected.subList(from, to));
      batches.writePage(batch);
      state.written(batch, false);
      from = to;
    } while (from < rejected.size());
    flush.alone(false);
    state.settled();
    marked = state.lastSeq();
  }

  /**
   * Writes down that all is flushed, so that the next open has nothing to verify; nothing happens
   * while a batch is in flight.
   */
  void mark() throws IOException {
    List<Long> covered = checkpoints.takeUnflushed();
    if (!covered.isEmpty()) {
      flushForGood();
    }
    Batch mark = null;
    lock.lock();
    try {
      state.flushed(covered);
      changed.signalAll(); // a full ring waits for what a checkpoint may now cover
      boolean news = state.lastSeq() != marked || state.owes();
      boolean quiet = state.inFlight() == 0 && checkpoints.unflushed() == 0 && !state.ring.full();
      if (news && quiet && failure == null) {
        mark = state.planPage(Kind.MARK, List.of());
        marked = mark.seq();
      }
    } finally {
      lock.unlock();
    }
    if (mark != null && write(mark, Deadline.never()) && durability == Durability.NONE) {
      flushForGood();
    }
  }

  /** Whoever waits for what this flush covers must hear that it failed. */
  private void flushForGood() throws IOException {
    try {
      flush.alone(false);
    } catch (IOException e) {
      fail(null, e);
      throw e;
    }
  }
}
