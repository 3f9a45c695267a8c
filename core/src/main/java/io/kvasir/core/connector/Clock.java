package io.kvasir.core.connector;

import io.kvasir.api.Deadline;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** One thread that notices deadlines. Its actions return at once and call no store. */
final class Clock {
  private final ScheduledThreadPoolExecutor timer;
  private final Logger log;

  Clock(Logger log) {
    this.log = log;
    timer =
        new ScheduledThreadPoolExecutor(
            1,
            action -> {
              Thread thread = new Thread(null, action, "kvasir-clock", 0, false);
              thread.setDaemon(true);
              return thread;
            },
            (_, _) -> {}); // closed: everything has ended already
    timer.setRemoveOnCancelPolicy(true);
    timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    timer.setContinueExistingPeriodicTasksAfterShutdownPolicy(false);
  }

  Future<?> at(Deadline deadline, Runnable action) {
    return timer.schedule(
        safely(action), Math.max(0, deadline.remainingNanos()), TimeUnit.NANOSECONDS);
  }

  void every(Duration period, Runnable action) {
    var _ =
        timer.scheduleWithFixedDelay(
            safely(action), period.toNanos(), period.toNanos(), TimeUnit.NANOSECONDS);
  }

  private Runnable safely(Runnable action) {
    return () -> {
      try {
        action.run();
      } catch (Throwable t) {
        log.log(Level.ERROR, "a deadline's action failed; the clock goes on", t);
      }
    };
  }

  void close() throws InterruptedException {
    timer.shutdownNow();
    timer.awaitTermination(1, TimeUnit.SECONDS);
  }
}
