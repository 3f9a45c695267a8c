package io.kvasir.plugin.local;

import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Who does the work of a store, and in which memory. Platform threads that nobody interrupts: a
 * virtual one costs more for file operations, and an interrupt closes the channel under everybody.
 *
 * @param blocks read and write blocks, enough of them to keep a disk busy
 * @param upkeep runs growth and checkpoints
 * @param memory for what the store reads by itself
 */
record StoreThreads(Executor blocks, Executor upkeep, IoMemory memory) implements AutoCloseable {
  private static final int DEPTH = 8;

  /** Threads of their own; none runs before there is work for it. */
  static StoreThreads start(IoMemory memory) {
    return new StoreThreads(
        start("kvasir-local-io-", DEPTH), start("kvasir-local-upkeep-", 1), memory);
  }

  private static ExecutorService start(String name, int count) {
    return Executors.newFixedThreadPool(
        count, Thread.ofPlatform().daemon().name(name, 0).factory());
  }

  /** Takes no more work; what waits is still done. */
  @Override
  public void close() {
    for (Executor executor : new Executor[] {blocks, upkeep}) {
      if (executor instanceof ExecutorService service) {
        service.shutdown();
      }
    }
  }
}
