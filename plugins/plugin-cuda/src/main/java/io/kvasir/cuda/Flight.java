package io.kvasir.cuda;

import io.kvasir.api.Fence;
import io.kvasir.api.store.Landing;
import io.kvasir.api.store.StoreException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;

/** A job on its way. Thread-safe. */
final class Flight implements Landing {
  private final Job job;
  private final List<List<Fence.Event>> events =
      new ArrayList<>(); // by step; written until ordered
  private final CompletableFuture<Void> ordered = new CompletableFuture<>();
  private final CompletableFuture<Void> done = new CompletableFuture<>();

  Flight(Job job) {
    this.job = job;
    for (int step = 0; step < job.steps().count(); step++) {
      events.add(new ArrayList<>());
    }
  }

  Job job() {
    return job;
  }

  /** Notes an event that an engine waits for. */
  void add(int step, long event) {
    Fence.Event fence = new Fence.Event(event);
    if (!events.get(step).contains(fence)) {
      events.get(step).add(fence);
    }
  }

  /** Notes that all is handed over. */
  void ordered() {
    ordered.complete(null);
  }

  /** Notes that nothing is under way any more. */
  void done(Throwable failure) {
    if (failure == null) {
      done.complete(null);
    } else {
      ordered.completeExceptionally(failure);
      done.completeExceptionally(failure);
    }
  }

  /** Waits until all is handed over; if it throws, nothing is under way. */
  void awaitOrdered() throws StoreException, CudaException {
    await(ordered);
  }

  /** Waits until nothing is under way. */
  void awaitDone() throws StoreException, CudaException {
    await(done);
  }

  private static void await(Future<Void> future) throws StoreException, CudaException {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          future.get();
          return;
        } catch (InterruptedException e) {
          interrupted = true; // the memory is the caller's: it has to wait
        } catch (ExecutionException e) {
          switch (e.getCause()) {
            case StoreException s -> throw s;
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

  @Override
  public List<Fence.Event> events(int plane) {
    return List.copyOf(events.get(job.steps().of(plane)));
  }

  @Override
  public void whenDone(Runnable action) {
    var _ = done.whenComplete((_, _) -> action.run());
  }
}
