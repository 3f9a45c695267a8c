package io.kvasir.plugin.mooncake;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** What goes on beside the calls, on two threads: one waits for HTTP while the other renews. */
final class Upkeep {
  private static final int THREADS = 2;

  /** Something that is done again and again. */
  @FunctionalInterface
  interface Chore {
    void run() throws Exception;
  }

  private final ScheduledThreadPoolExecutor threads;
  private final Logger log;

  Upkeep(Logger log) {
    this.log = log;
    this.threads =
        new ScheduledThreadPoolExecutor(
            THREADS,
            work -> Thread.ofPlatform().daemon().name("kvasir-mooncake-upkeep").unstarted(work));
  }

  /** Does a chore now and after each such pause; a failure is said and ends nothing. */
  void every(Duration pause, String what, Chore chore) {
    var _ =
        threads.scheduleWithFixedDelay(
            () -> run(what, chore), 0, pause.toNanos(), TimeUnit.NANOSECONDS);
  }

  private void run(String what, Chore chore) {
    try {
      chore.run();
    } catch (Exception e) {
      log.log(Level.DEBUG, "{0} failed and is tried again: {1}", what, e);
    }
  }

  /** Ends it; a chore that runs is interrupted and not waited for. */
  void close() {
    threads.shutdownNow();
  }
}
