package io.kvasir.plugin.local;

import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Threads that nobody interrupts, for file operations whose outcome must not be lost. The caller
 * waits, whatever happens.
 */
final class CalmThread implements AutoCloseable {
  private final ExecutorService threads =
      Executors.newCachedThreadPool(
          Thread.ofPlatform().daemon().name("kvasir-local-", 0).factory());

  <T> T call(Callable<T> action) throws IOException {
    Future<T> future = threads.submit(action);
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return future.get();
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

  @Override
  public void close() {
    threads.shutdown();
  }
}
