package io.kvasir.plugin.local;

import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Threads that nobody interrupts, for file operations whose outcome must not be lost. The caller
 * waits, whatever happens.
 */
final class CalmThread implements AutoCloseable {
  private final ExecutorService threads =
      Executors.newCachedThreadPool(
          Thread.ofPlatform().daemon().name("kvasir-local-", 0).factory());

  <T> T call(Callable<T> action) throws IOException {
    return Later.start(threads, action).get();
  }

  @Override
  public void close() {
    threads.shutdown();
  }
}
