package io.kvasir.plugin.local;

import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;

/**
 * What another thread does meanwhile. Whoever wants its result waits, an interrupt ends no wait.
 */
final class Later<T> {
  private final FutureTask<T> task;

  private Later(Callable<T> action) {
    this.task = new FutureTask<>(action);
  }

  static <T> Later<T> start(Executor threads, Callable<T> action) {
    Later<T> later = new Later<>(action);
    threads.execute(later.task);
    return later;
  }

  T get() throws IOException {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return task.get();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } catch (ExecutionException e) {
      switch (e.getCause()) {
        case IOException io -> throw io;
        case RuntimeException runtime -> throw runtime;
        case Throwable other -> throw new IOException(other);
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Waits for its end, whatever that is: it uses memory and a file of others. */
  void settle() {
    try {
      get();
    } catch (IOException | RuntimeException e) {
      // whoever wants the result hears of it
    }
  }
}
