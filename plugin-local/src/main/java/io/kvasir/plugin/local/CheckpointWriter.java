package io.kvasir.plugin.local;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * When and how a slab writes its checkpoint: beside the batches that go on, a slice at a time under
 * their lock. What is taken in of batches after its sequence does no harm (I6).
 */
final class CheckpointWriter {
  /** Slots copied while all others wait. */
  private static final int SLICE = 2048;

  private final ReentrantLock lock;
  private final Condition changed;
  private final Directory directory;
  private final SlabFile file;
  private final SlabState state;
  private final GroupFlush flush;
  private final Rules rules;
  private List<Long> unflushed = new ArrayList<>(); // batches of a store that does not flush
  private boolean running;
  private boolean blocked;

  CheckpointWriter(
      ReentrantLock lock,
      Condition changed,
      Directory directory,
      SlabFile file,
      SlabState state,
      GroupFlush flush,
      Rules rules) {
    this.lock = lock;
    this.changed = changed;
    this.directory = directory;
    this.file = file;
    this.state = state;
    this.flush = flush;
    this.rules = rules;
  }

  // ---- under the lock

  /** Whether nobody is at it and it would free that many pages of the ring. */
  boolean frees(int pages) {
    long covered = state.flushedThrough() + unflushed.size() - state.ring.checkpointSeq();
    return !running && covered >= pages;
  }

  boolean running() {
    return running;
  }

  /** Takes the turn of {@link #write}; nobody may be at it. */
  void begin() {
    running = true;
  }

  /** Gives the turn back without having written. */
  void abandon() {
    running = false;
  }

  /** Whether there was no room for the last one: it is tried again when the ring is full. */
  boolean isBlocked() {
    return blocked;
  }

  void addUnflushed(long seq) {
    unflushed.add(seq);
  }

  int unflushed() {
    return unflushed.size();
  }

  // ---- not under the lock

  /** Batches whose writes have returned and no flush has covered: the next that begins does. */
  List<Long> takeUnflushed() {
    lock.lock();
    try {
      List<Long> taken = unflushed;
      unflushed = new ArrayList<>();
      return taken;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Writes one, after {@link #begin}. If there is no room for it nothing is lost: see {@link
   * #isBlocked}.
   *
   * @throws IOException if the disk failed, for good
   */
  void write() throws IOException {
    boolean written = false;
    try {
      List<Long> covered = takeUnflushed();
      if (!covered.isEmpty()) {
        flush.alone(false);
      }
      writeFlushed(covered);
      written = true;
    } catch (IOException e) {
      if (!Failures.isFull(e)) {
        throw e;
      }
    } finally {
      end(written);
    }
  }

  private void end(boolean written) {
    lock.lock();
    try {
      running = false;
      blocked = !written;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void writeFlushed(List<Long> flushed) throws IOException {
    long seq;
    int slots;
    lock.lock();
    try {
      state.flushed(flushed);
      seq = rules.checkpointSeq(state.flushedThrough(), state.lastSeq());
      slots = state.table.slots();
      if (rules.checkpointCountsAtOnce()) {
        state.ring.checkpointed(seq);
      }
    } finally {
      lock.unlock();
    }
    write(seq, slots);
  }

  /** The ring may go over the pages up to {@code seq} once this has returned (I5). */
  void write(long seq, int slots) throws IOException {
    Header header = file.header();
    new Checkpoint(header.storeId(), seq, slots)
        .write(directory, Checkpoint.name(header.slotBytes()), this::copy, this::namespaces);
    lock.lock();
    try {
      state.ring.checkpointed(seq);
    } finally {
      lock.unlock();
    }
  }

  private void copy(int from, int to, long[] entries) {
    for (int at = from; at < to; at += SLICE) {
      lock.lock();
      try {
        state.table.copy(at, Math.min(to, at + SLICE), entries, Checkpoint.WORDS * (at - from));
      } finally {
        lock.unlock();
      }
    }
  }

  private List<Bits128> namespaces() {
    lock.lock();
    try {
      return state.namespaces.all();
    } finally {
      lock.unlock();
    }
  }
}
