package io.kvasir.core.connector;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.Deadline;
import io.kvasir.api.store.NamespaceStore;
import io.kvasir.api.store.StoreException;
import io.kvasir.api.store.TransferPath;
import java.time.Duration;
import java.util.concurrent.Future;

/**
 * The guard around every call of a plugin: whatever it throws becomes a status, a call that does
 * not come back is reported to the breaker and its thread replaced.
 */
final class StoreCalls {
  /** How long after its deadline a call counts as stuck. */
  private static final Duration GRACE = Duration.ofMillis(100);

  private final Breaker breaker;
  private final Clock clock;
  private final Causes causes;

  StoreCalls(Breaker breaker, Clock clock, Causes causes) {
    this.breaker = breaker;
    this.clock = clock;
    this.causes = causes;
  }

  /** A call of a store. */
  @FunctionalInterface
  interface Call {
    /** {@return whether the store answered; false where every block failed} */
    boolean run(NamespaceStore store) throws Exception;
  }

  /** A call of another plugin's code. */
  @FunctionalInterface
  interface Other {
    void run() throws Exception;
  }

  /**
   * Calls the store, unless the breaker is open. Counted in the epoch by the caller before.
   *
   * @return null if the call returned, or the status of its blocks
   */
  BlockStatus run(String what, Workers workers, Epoch epoch, Deadline deadline, Call call) {
    try {
      Breaker.Permit permit = breaker.enter();
      if (permit == null) {
        return BlockStatus.IO;
      }
      Watch watch = new Watch(what, workers, permit, deadline);
      try {
        boolean answered = call.run(epoch.store(deadline));
        watch.returned();
        if (answered) {
          permit.success();
        } else {
          permit.failure(what + " failed for every block");
        }
        return null;
      } catch (Throwable t) {
        watch.returned();
        BlockStatus status = status(t);
        if (status == BlockStatus.CAPACITY || status == BlockStatus.MISMATCH) {
          permit.success();
        } else {
          permit.failure(what + " failed: " + t);
        }
        causes.say(status, what, t);
        return status;
      }
    } finally {
      epoch.callEnded();
    }
  }

  /** Calls a transfer path or an engine's condition: guarded, and no business of the breaker. */
  BlockStatus runOther(String what, Workers workers, Deadline deadline, Other call) {
    Watch watch = new Watch(what, workers, null, deadline);
    try {
      call.run();
      return null;
    } catch (Throwable t) {
      BlockStatus status = status(t);
      causes.say(status, what, t);
      return status;
    } finally {
      watch.returned();
    }
  }

  /** A call of a transfer path. */
  @FunctionalInterface
  interface Move {
    void run(TransferPath path) throws StoreException;
  }

  /** Moves bytes. The host's path is not watched: a copy of one block comes back. */
  BlockStatus runPath(
      String what, Workers workers, TransferPath path, Deadline deadline, Move move) {
    if (!Paths.blockwise(path)) {
      return runOther(what, workers, deadline, () -> move.run(path));
    }
    try {
      move.run(path);
      return null;
    } catch (Throwable t) {
      causes.say(status(t), what, t);
      return status(t);
    }
  }

  private static BlockStatus status(Throwable t) {
    if (!(t instanceof StoreException e)) {
      return BlockStatus.IO;
    }
    return switch (e.kind()) {
      case MISMATCH -> BlockStatus.MISMATCH;
      case CAPACITY -> BlockStatus.CAPACITY;
      case TIMEOUT -> BlockStatus.TIMEOUT;
      case CLOSED -> BlockStatus.CLOSED;
      case CONFIGURATION, UNAVAILABLE, IO, UNSUPPORTED -> BlockStatus.IO;
    };
  }

  private final class Watch {
    private final String what;
    private final Workers workers;
    private final Breaker.Permit permit;
    private final Thread thread = Thread.currentThread();
    private final Future<?> alarm;
    private boolean back;
    private boolean overdue;

    Watch(String what, Workers workers, Breaker.Permit permit, Deadline deadline) {
      this.what = what;
      this.workers = workers;
      this.permit = permit;
      Workers.doing(what);
      this.alarm = clock.at(new Deadline(deadline.nanoTime() + GRACE.toNanos()), this::overdue);
    }

    private void overdue() {
      boolean exhausted;
      synchronized (this) {
        if (back) {
          return;
        }
        overdue = true;
        exhausted = workers.overdue(thread);
      }
      if (permit != null) {
        permit.failure(what + " did not come back by its deadline");
        if (exhausted) {
          breaker.trip(what + " did not come back, like those of all spare threads");
        }
      }
    }

    void returned() {
      alarm.cancel(false);
      Workers.doing(null);
      synchronized (this) {
        if (!back) {
          back = true;
          if (overdue) {
            workers.back(thread);
          }
        }
      }
    }
  }
}
