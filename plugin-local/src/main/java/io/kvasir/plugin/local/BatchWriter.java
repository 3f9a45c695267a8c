package io.kvasir.plugin.local;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.Deadline;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Writes a batch: its blocks and its page side by side, in no order (I2), then one flush that
 * begins after all of them have returned (I1). The caller computes the checksums and hands on each
 * block as soon as it has one; the threads for blocks write.
 */
final class BatchWriter {
  private final ReentrantLock lock;
  private final SlabFile file;
  private final SlabState state;
  private final GroupFlush flush;
  private final Durability durability;
  private final Executor threads;
  private final Metrics metrics;
  private final AtomicReference<Throwable> trouble;
  private final Queue<MemorySegment> pages = new ConcurrentLinkedQueue<>();

  /**
   * @param trouble where a failed write of a block is left: such a failure is not final
   */
  BatchWriter(
      ReentrantLock lock,
      SlabFile file,
      SlabState state,
      GroupFlush flush,
      Slab.Options options,
      AtomicReference<Throwable> trouble) {
    this.lock = lock;
    this.file = file;
    this.state = state;
    this.flush = flush;
    this.durability = options.durability();
    this.threads = options.threads().blocks();
    this.metrics = options.metrics();
    this.trouble = trouble;
  }

  private record Failed(Incoming put, Throwable cause) {}

  /** Returns when nothing of the batch is under way any more; a failure of this kind is final. */
  void write(Batch batch, Deadline deadline) throws IOException {
    long start = System.nanoTime();
    List<Failed> failed = writeAll(batch, deadline);
    if (!failed.isEmpty()) {
      failed.forEach(f -> f.put.end(Failures.status(f.cause), f.cause));
      trouble.set(failed.getLast().cause);
      writePage(batch); // again, without them: nothing may refer to their slots
    }
    switch (durability) {
      case ACK -> flush.alone(false);
      case BATCH -> flush.shared();
      case NONE -> {}
    }
    metrics.batches.since(start);
  }

  private List<Failed> writeAll(Batch batch, Deadline deadline) throws IOException {
    List<Failed> failed = new ArrayList<>();
    AtomicReference<IOException> pageFailed = new AtomicReference<>();
    try (Tasks tasks = new Tasks(threads, metrics)) {
      for (Incoming put : batch.puts()) {
        if (deadline.expired()) {
          put.end(BlockStatus.TIMEOUT, null);
          continue;
        }
        try {
          seal(batch, put);
        } catch (RuntimeException e) { // memory that the caller gave up meanwhile
          add(failed, put, e);
          continue;
        }
        tasks.run(() -> file.writeSlot(put.slot, put.frame), cause -> add(failed, put, cause));
      }
      tasks.run(() -> writePage(batch), cause -> pageFailed.set(Failures.io(cause)));
    }
    if (pageFailed.get() != null) {
      throw pageFailed.get();
    }
    return failed;
  }

  private void seal(Batch batch, Incoming put) {
    put.crc = Layout.crc(put.frame.asSlice(0, put.length));
    new Trailer(file.header().storeId(), put.slot, batch.seq(), state.record(batch, put))
        .write(put.frame);
  }

  private static void add(List<Failed> failed, Incoming put, Throwable cause) {
    synchronized (failed) {
      failed.add(new Failed(put, cause));
    }
  }

  /** Writes the page with all puts that have not ended. */
  void writePage(Batch batch) throws IOException {
    MemorySegment page = pages.poll();
    if (page == null) {
      page = Layout.pages(1);
    }
    LogPage content;
    lock.lock();
    try {
      content = state.page(batch);
    } finally {
      lock.unlock();
    }
    content.write(page, file.header().storeId());
    file.writePage(batch.page(), page);
    pages.add(page);
  }
}
