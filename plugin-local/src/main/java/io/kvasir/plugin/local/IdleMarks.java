package io.kvasir.plugin.local;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.Collection;

/**
 * Writes an idle mark to each slab in which nothing has happened for 100 ms: then the next open has
 * nothing to verify.
 */
final class IdleMarks implements AutoCloseable {
  private static final long PERIOD_MILLIS = 100;

  private final Collection<Slab> slabs;
  private final System.Logger log;
  private final Thread thread =
      Thread.ofPlatform().daemon().name("kvasir-local-idle").unstarted(this::run);

  IdleMarks(Collection<Slab> slabs, System.Logger log) {
    this.slabs = slabs;
    this.log = log;
  }

  void start() {
    thread.start();
  }

  private void run() {
    try {
      while (true) {
        Thread.sleep(PERIOD_MILLIS);
        for (Slab slab : slabs) {
          mark(slab);
        }
      }
    } catch (InterruptedException e) {
      // the end
    }
  }

  private void mark(Slab slab) {
    try {
      slab.markIfIdle();
    } catch (IOException | RuntimeException e) {
      log.log(Level.WARNING, "an idle mark failed", e);
    }
  }

  @Override
  public void close() {
    thread.interrupt();
  }
}
