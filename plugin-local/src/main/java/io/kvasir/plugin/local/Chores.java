package io.kvasir.plugin.local;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.Collection;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * What a store does by itself, ten times a second: an idle mark in each slab in which nothing has
 * happened meanwhile, so that the next open has nothing to verify, and a slice of the scrub.
 */
final class Chores implements AutoCloseable {
  private static final long PERIOD_MILLIS = 100;

  private final Collection<Slab> slabs;
  private final Scrub scrub;
  private final System.Logger log;
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("kvasir-local-chores").factory());

  Chores(Collection<Slab> slabs, Scrub scrub, System.Logger log) {
    this.slabs = slabs;
    this.scrub = scrub;
    this.log = log;
  }

  void start() {
    var _ =
        thread.scheduleWithFixedDelay(
            this::run, PERIOD_MILLIS, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
  }

  private void run() {
    for (Slab slab : slabs) {
      try {
        slab.markIfIdle();
      } catch (IOException | RuntimeException e) {
        log.log(Level.WARNING, "an idle mark failed", e);
      }
    }
    try {
      scrub.goOn(System.nanoTime());
    } catch (RuntimeException e) {
      log.log(Level.WARNING, "the scrub failed", e);
    }
  }

  /** Interrupts nothing, and waits a moment: a mark may be on its way. */
  @Override
  public void close() {
    thread.shutdown();
    try {
      if (!thread.awaitTermination(1, TimeUnit.SECONDS)) {
        log.log(Level.WARNING, "an idle mark or a scrub still runs");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
