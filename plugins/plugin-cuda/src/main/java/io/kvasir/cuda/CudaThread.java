package io.kvasir.cuda;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;

/**
 * A platform thread that calls the driver: a context belongs to the thread that carries a virtual
 * one, and the threads of an engine have contexts of their own.
 */
final class CudaThread implements AutoCloseable {
  private final ExecutorService executor;

  CudaThread(String name) {
    this.executor =
        Executors.newSingleThreadExecutor(
            Thread.ofPlatform().name("kvasir-cuda-" + name).daemon(true).factory());
  }

  /** What a thread does with the driver. */
  @FunctionalInterface
  interface Work<T> {
    T run() throws CudaException;
  }

  /** Does nothing but its work. */
  @FunctionalInterface
  interface Task {
    void run() throws CudaException;
  }

  /** Runs work later that throws nothing. */
  void execute(Runnable work) {
    executor.execute(work);
  }

  /** Runs work later. */
  <T> Future<T> submit(Callable<T> work) {
    return executor.submit(work);
  }

  /**
   * {@return the outcome of work, waited for however long it takes: what it touches is the
   * caller's}
   */
  <T> T call(Work<T> work) throws CudaException {
    Future<T> future;
    try {
      future = executor.submit(work::run);
    } catch (RejectedExecutionException e) {
      throw new CudaException("a call after the device was closed", 4);
    }
    return join(future);
  }

  void run(Task task) throws CudaException {
    call(
        () -> {
          task.run();
          return null;
        });
  }

  /** Waits; an interrupt is kept for later. */
  static <T> T join(Future<T> future) throws CudaException {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return future.get();
        } catch (InterruptedException e) {
          interrupted = true;
        } catch (ExecutionException e) {
          switch (e.getCause()) {
            case CudaException c -> throw c;
            case RuntimeException r -> throw r;
            case Error r -> throw r;
            default -> throw new AssertionError(e.getCause());
          }
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Ends the thread once what was submitted is done; does not wait for it. */
  @Override
  public void close() {
    executor.shutdown();
  }
}
