package io.kvasir.core.connector;

import io.kvasir.api.Deadline;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Platform threads that run jobs in order and never die of one. A thread whose call does not come
 * back is replaced, up to a bound, and ends when it comes back.
 */
final class Workers {
  private final String name;
  private final int stuckBound;
  private final Logger log;
  private final Deque<Runnable> jobs = new ArrayDeque<>();
  private final List<Worker> threads = new ArrayList<>();
  private int stuck;
  private int numbers;
  private boolean closing;

  Workers(String name, int count, int stuckBound, Logger log) {
    this.name = name;
    this.stuckBound = stuckBound;
    this.log = log;
    synchronized (this) {
      for (int i = 0; i < count; i++) {
        start();
      }
    }
  }

  /** Runs a job after those that wait. {@return false once the workers are shut down} */
  boolean submit(Runnable job) {
    return submit(job, false);
  }

  /** Runs a job before those that wait. {@return false once the workers are shut down} */
  boolean submitFirst(Runnable job) {
    return submit(job, true);
  }

  private synchronized boolean submit(Runnable job, boolean first) {
    if (closing) {
      return false;
    }
    if (first) {
      jobs.addFirst(job);
    } else {
      jobs.addLast(job);
    }
    notify();
    return true;
  }

  /**
   * Called when the call that a thread makes did not come back in time.
   *
   * @return whether so many are stuck that the store gets no more threads
   */
  synchronized boolean overdue(Thread thread) {
    if (thread instanceof Worker w && threads.contains(w) && !w.stuck) {
      w.stuck = true;
      stuck++;
      if (stuck <= stuckBound) {
        w.replaced = true;
        start();
      }
    }
    return stuck >= stuckBound;
  }

  /** Called when an overdue call came back. */
  synchronized void back(Thread thread) {
    if (thread instanceof Worker w && w.stuck) {
      w.stuck = false;
      stuck--;
    }
  }

  /** {@return the number of threads that are alive} */
  synchronized int threads() {
    return threads.size();
  }

  /** {@return what the threads that are busy do} */
  synchronized List<String> busy() {
    return threads.stream().map(w -> w.doing).filter(d -> d != null).toList();
  }

  /** Notes what the current thread does, for the log; null for nothing. */
  static void doing(String what) {
    if (Thread.currentThread() instanceof Worker w) {
      w.doing = what;
    }
  }

  /** Takes no more jobs; what waits is still run. */
  synchronized void shutdown() {
    closing = true;
    notifyAll();
  }

  /** {@return whether every thread ended by the deadline} */
  synchronized boolean awaitEnd(Deadline deadline) throws InterruptedException {
    while (!threads.isEmpty()) {
      long left = deadline.remainingNanos();
      if (left <= 0) {
        return false;
      }
      TimeUnit.NANOSECONDS.timedWait(this, left);
    }
    return true;
  }

  private void start() {
    Worker worker = new Worker("kvasir-" + name + "-" + ++numbers);
    worker.setDaemon(true);
    threads.add(worker);
    worker.start();
  }

  /** {@return the next job, or null if the worker shall end} */
  private synchronized Runnable next(Worker worker) {
    while (!worker.replaced && jobs.isEmpty() && !closing) {
      try {
        wait();
      } catch (InterruptedException e) {
        // left over from a call of the store: nobody interrupts a worker that waits
      }
    }
    return worker.replaced ? null : jobs.pollFirst();
  }

  private synchronized void ended(Worker worker, boolean wanted) {
    threads.remove(worker);
    if (!wanted && !closing) {
      start();
    }
    notifyAll();
  }

  private final class Worker extends Thread {
    private boolean stuck;
    private boolean replaced;
    private volatile String doing;

    Worker(String name) {
      super(null, null, name, 0, false);
    }

    @Override
    public void run() {
      boolean wanted = false;
      try {
        for (Runnable job = next(this); job != null; job = next(this)) {
          run(job);
        }
        wanted = true;
      } finally {
        ended(this, wanted);
      }
    }

    private void run(Runnable job) {
      try {
        Thread.interrupted(); // a backend may have left it set
        job.run();
      } catch (Throwable t) {
        log.log(Level.ERROR, "a job of " + getName() + " failed; the worker goes on", t);
      } finally {
        doing = null;
      }
    }
  }
}
