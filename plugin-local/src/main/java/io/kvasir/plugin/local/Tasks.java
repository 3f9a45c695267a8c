package io.kvasir.plugin.local;

import java.io.IOException;
import java.util.concurrent.Executor;
import java.util.concurrent.Phaser;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;

/**
 * Disk operations that run side by side on other threads; closing waits for all of them, whatever
 * happens to the thread that waits: they use its frames.
 */
final class Tasks implements AutoCloseable {
  private final Executor threads;
  private final Metrics metrics;
  private final Phaser running = new Phaser(1);

  Tasks(Executor threads, Metrics metrics) {
    this.threads = threads;
    this.metrics = metrics;
  }

  /** A disk operation. */
  interface Task {
    void run() throws IOException;
  }

  /**
   * Starts a task.
   *
   * @param failed told what it threw, on its thread
   */
  void run(Task task, Consumer<Throwable> failed) {
    running.register();
    metrics.add(Metrics.Count.QUEUE, 1);
    try {
      threads.execute(
          () -> {
            try {
              task.run();
            } catch (IOException | RuntimeException | Error e) {
              failed.accept(e);
            } finally {
              end();
            }
          });
    } catch (RejectedExecutionException e) { // the store was closed and waits no longer
      end();
      failed.accept(e);
    }
  }

  private void end() {
    metrics.add(Metrics.Count.QUEUE, -1);
    running.arriveAndDeregister();
  }

  @Override
  public void close() {
    running.arriveAndAwaitAdvance();
  }
}
