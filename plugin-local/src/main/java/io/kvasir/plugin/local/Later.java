package io.kvasir.plugin.local;

import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;

/** What another thread reads meanwhile. Whoever wants it waits, an interrupt ends no wait. */
final class Later<T> {
  private final FutureTask<T> task;

  private Later(Callable<T> reading) {
    this.task = new FutureTask<>(reading);
  }

  static <T> Later<T> start(Executor threads, Callable<T> reading) {
    Later<T> later = new Later<>(reading);
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
