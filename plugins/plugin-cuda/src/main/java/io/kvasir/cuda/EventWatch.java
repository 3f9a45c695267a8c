package io.kvasir.cuda;

import io.kvasir.api.Deadline;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

/**
 * Waits for events of an engine before anything is handed to a stream: what a stream waits for
 * cannot be taken back, and a deadline could not be kept. No event is asked for after its wait has
 * ended, so that the engine may destroy it then.
 */
final class EventWatch implements AutoCloseable {
  private static final long SHORTEST_NAP = TimeUnit.MICROSECONDS.toNanos(10);
  private static final long LONGEST_NAP = TimeUnit.MICROSECONDS.toNanos(200);

  private final Gpu gpu;
  private final CudaThread thread;
  private final List<Waiter> waiting = new ArrayList<>(); // guarded by itself, also while asked
  private boolean watching;
  private boolean current;

  EventWatch(Gpu gpu, String name) {
    this.gpu = gpu;
    this.thread = new CudaThread(name);
  }

  private static final class Waiter extends CompletableFuture<Void> {
    private final long event;

    Waiter(long event) {
      this.event = event;
    }
  }

  /** {@return whether the event is done; false once the deadline has passed} */
  boolean await(long event, Deadline deadline) throws CudaException, InterruptedException {
    Waiter waiter = new Waiter(event);
    synchronized (waiting) {
      waiting.add(waiter);
    }
    try {
      start();
      waiter.get(Math.max(0, deadline.remainingNanos()), TimeUnit.NANOSECONDS);
      return true;
    } catch (TimeoutException e) {
      return false;
    } catch (ExecutionException e) {
      throw (CudaException) e.getCause();
    } finally {
      synchronized (waiting) {
        waiting.remove(waiter);
      }
    }
  }

  private void start() throws CudaException {
    synchronized (waiting) {
      if (!watching) {
        try {
          thread.execute(this::watch);
          watching = true;
        } catch (RejectedExecutionException e) {
          throw new CudaException("a wait after the device was closed", 4);
        }
      }
    }
  }

  private void watch() {
    long begun = System.nanoTime();
    while (true) {
      synchronized (waiting) {
        ask();
        if (waiting.isEmpty()) {
          watching = false;
          return;
        }
      }
      long waited = System.nanoTime() - begun;
      LockSupport.parkNanos(this, Math.clamp(waited / 8, SHORTEST_NAP, LONGEST_NAP));
    }
  }

  private void ask() {
    for (Iterator<Waiter> all = waiting.iterator(); all.hasNext(); ) {
      Waiter waiter = all.next();
      try {
        if (!current) {
          gpu.makeCurrent();
          current = true;
        }
        if (gpu.driver().done(waiter.event)) {
          all.remove();
          waiter.complete(null);
        }
      } catch (CudaException e) {
        all.remove();
        waiter.completeExceptionally(e);
      } catch (RuntimeException | Error e) {
        all.remove();
        waiter.completeExceptionally(new CudaException("cuEventQuery: " + e, -1));
      }
    }
  }

  @Override
  public void close() {
    thread.close();
  }
}
