package io.kvasir.plugin.mooncake;

import io.kvasir.api.Deadline;
import io.kvasir.api.store.Blocks;
import io.kvasir.api.store.StoreException;
import io.kvasir.api.store.StoreException.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Calls of the library on threads of their own, so that a deadline can give one up: a frozen owner
 * of a segment holds a get for 30 s and a put for 60 s. What a call that was given up works with
 * stays its own until it comes back: its thread's memory, and the frames, which are retained.
 */
final class Calls {
  /** How long a call may go on beyond its deadline before it counts as an outage. */
  private static final long STUCK = Duration.ofSeconds(1).toNanos();

  private static final long IDLE_SECONDS = 30;

  /** What happens inside the library. */
  @FunctionalInterface
  interface Work {
    /** {@return a code for each item} */
    long[] run(long handle, Scratch scratch);
  }

  private final Session session;
  private final Breaker breaker;
  private final int cap;
  private final ThreadPoolExecutor threads;
  private final Set<Call> abandoned = new LinkedHashSet<>(); // guarded by itself

  Calls(Session session, Breaker breaker, int cap) {
    this.session = session;
    this.breaker = breaker;
    this.cap = cap;
    this.threads =
        new ThreadPoolExecutor(
            0,
            Integer.MAX_VALUE, // as many as callers, and the abandoned ones, which are capped
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            LibraryThread::new);
  }

  /** A thread that owns the memory in which its batches are written down. */
  private static final class LibraryThread extends Thread {
    private Scratch scratch;

    LibraryThread(Runnable work) {
      super(null, work, "kvasir-mooncake-call", 0, false);
      setDaemon(true);
    }

    @Override
    public void run() {
      try (Scratch own = new Scratch()) {
        scratch = own;
        super.run();
      }
    }
  }

  /** One call on its way. Lock: this. */
  private final class Call implements Runnable {
    private final String what;
    private final Work work;
    private final Consumer<long[]> late; // told instead of a waiter, or null
    private long givenUpAt;
    private boolean givenUp;
    private boolean counted;
    private boolean done;
    private long[] codes;
    private Throwable failure;
    private Runnable release = () -> {};

    Call(String what, Work work, Consumer<long[]> late) {
      this.what = what;
      this.work = work;
      this.late = late;
    }

    @Override
    public void run() {
      long[] result = {};
      Throwable thrown = null;
      try {
        Scratch scratch = ((LibraryThread) Thread.currentThread()).scratch;
        result = work.run(session.handle(), scratch);
      } catch (Throwable t) {
        thrown = t;
      } finally {
        session.leave();
      }
      if (Codes.isOutage(result)) {
        breaker.outage(what + " ended " + Codes.name(result[0]));
      } else if (thrown == null) {
        breaker.answered();
      }
      end(result, thrown);
    }

    private void end(long[] result, Throwable thrown) {
      boolean wasGivenUp;
      synchronized (this) {
        codes = result;
        failure = thrown;
        done = true;
        wasGivenUp = givenUp;
        notifyAll();
      }
      if (wasGivenUp) {
        forget(this);
        breaker.cameBack();
        release.run();
      }
      if (late != null) {
        late.accept(result);
      }
    }

    /** {@return the codes, or null if the deadline passed first and the call was given up} */
    synchronized long[] await(Deadline deadline, Blocks blocks) throws StoreException {
      boolean interrupted = false;
      long left = deadline.remainingNanos();
      while (!done && left > 0 && !interrupted) {
        try {
          TimeUnit.NANOSECONDS.timedWait(this, left);
        } catch (InterruptedException e) {
          interrupted = true;
          Thread.currentThread().interrupt();
        }
        left = deadline.remainingNanos();
      }
      if (!done) {
        if (blocks != null) {
          release = blocks.retain();
        }
        givenUp = true;
        givenUpAt = System.nanoTime();
        return null;
      }
      if (failure != null) {
        throw new StoreException(Kind.IO, what + ": the binding failed: " + failure, failure);
      }
      return codes;
    }

    /** {@return whether it is overdue, once} */
    synchronized boolean becameStuck() {
      boolean now = !counted && !done && System.nanoTime() - givenUpAt > STUCK;
      counted |= now;
      return now;
    }
  }

  /**
   * Makes a call and waits for it.
   *
   * @param blocks whose frames the call works with, or null
   * @return a code for each item
   * @throws StoreException {@code TIMEOUT} at the deadline, {@code UNAVAILABLE} while the breaker
   *     is open, {@code CLOSED}
   */
  long[] run(String what, Deadline deadline, Blocks blocks, Work work) throws StoreException {
    countTheStuck();
    if (breaker.isOpen()) {
      throw new StoreException(
          Kind.UNAVAILABLE, "the Mooncake cluster is not asked: " + breaker.reason());
    }
    if (deadline.expired()) {
      throw new StoreException(Kind.TIMEOUT, what + ": the deadline had passed before it began");
    }
    Call call = new Call(what, work, null);
    start(call);
    long[] codes = call.await(deadline, blocks);
    if (codes == null) {
      giveUp(call);
      throw new StoreException(Kind.TIMEOUT, what + ": the library did not answer in time");
    }
    return codes;
  }

  /** Makes a call for which nobody waits, whatever the breaker says. */
  void start(String what, Work work, Consumer<long[]> answer) throws StoreException {
    start(new Call(what, work, answer));
  }

  private void start(Call call) throws StoreException {
    synchronized (abandoned) {
      if (!abandoned.isEmpty() && session.inside() >= cap) { // all of them may yet be given up
        throw new StoreException(
            Kind.UNAVAILABLE,
            "%d calls are in the library, and %d of them were given up"
                .formatted(session.inside(), abandoned.size()));
      }
    }
    if (!session.enter()) {
      throw Session.closed();
    }
    try {
      threads.execute(call);
    } catch (RejectedExecutionException | OutOfMemoryError e) {
      session.leave();
      if (threads.isShutdown()) {
        throw Session.closed();
      }
      throw new StoreException(Kind.UNAVAILABLE, "no thread for a call of the library: " + e, e);
    }
  }

  private void giveUp(Call call) {
    synchronized (abandoned) {
      synchronized (call) {
        if (call.done) { // it came back meanwhile and saw that it was given up
          breaker.abandoned(call.what);
          return;
        }
        abandoned.add(call);
      }
    }
    breaker.abandoned(call.what);
  }

  private void forget(Call call) {
    synchronized (abandoned) {
      abandoned.remove(call);
    }
  }

  private void countTheStuck() {
    List<Call> stuck = new ArrayList<>();
    synchronized (abandoned) {
      abandoned.stream().filter(Call::becameStuck).forEach(stuck::add);
    }
    stuck.forEach(c -> breaker.outage(c.what + " has not come back long after its deadline"));
  }

  /** {@return the calls that were given up and are still in the library} */
  int abandoned() {
    return breaker.abandoned();
  }

  /** Starts no more calls; threads that are idle end. */
  void close() {
    threads.shutdown();
  }
}
