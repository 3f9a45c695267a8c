package io.kvasir.plugin.local;

import java.io.IOException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * One flush for all who wait. A caller whose writes have returned is covered by the next flush that
 * begins (I1), not by one that runs. A failed flush is final: nothing is believed after it.
 */
final class GroupFlush {
  private final BlockFile file;
  private final Metrics metrics;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition ended = lock.newCondition();
  private long begun;
  private long done;
  private boolean running;
  private IOException failure;

  GroupFlush(BlockFile file, Metrics metrics) {
    this.metrics = metrics;
    this.file = file;
  }

  /**
   * Returns after a flush that began after this call; callers that wait at the same time share it.
   */
  void shared() throws IOException {
    lock.lock();
    try {
      long wanted = begun + 1;
      while (failure == null && done < wanted && running) {
        ended.awaitUninterruptibly();
      }
      checkFailure();
      if (done >= wanted) {
        return;
      }
      begin();
    } finally {
      lock.unlock();
    }
    force(false);
  }

  /**
   * Returns after a flush of the caller's own. Never beside another: the system reports a failed
   * write to one flush only, and the other would believe that all is well.
   */
  void alone(boolean metadata) throws IOException {
    lock.lock();
    try {
      while (failure == null && running) {
        ended.awaitUninterruptibly();
      }
      checkFailure();
      begin();
    } finally {
      lock.unlock();
    }
    force(metadata);
  }

  private void checkFailure() throws IOException {
    if (failure != null) {
      throw new IOException("an earlier flush failed", failure);
    }
  }

  private void begin() {
    running = true;
    begun++;
  }

  private void force(boolean metadata) throws IOException {
    IOException thrown = null;
    long start = System.nanoTime();
    try {
      file.force(metadata);
      metrics.add(Metrics.Count.FLUSHES, 1);
      metrics.flushes.since(start);
    } catch (IOException e) {
      thrown = e;
    } catch (RuntimeException e) {
      thrown = new IOException(e);
    }
    lock.lock();
    try {
      running = false;
      if (thrown == null) {
        done = begun;
      } else {
        failure = thrown;
      }
      ended.signalAll();
    } finally {
      lock.unlock();
    }
    if (thrown != null) {
      throw thrown;
    }
  }
}
