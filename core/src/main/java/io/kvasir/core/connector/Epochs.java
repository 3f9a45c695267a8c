package io.kvasir.core.connector;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.Deadline;
import io.kvasir.api.KvasirException;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.identity.Weights;
import io.kvasir.api.store.Store;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The epoch in force and the way from one to the next: fence, drain, commit.
 *
 * <p>From the fence on, every lookup, load and save of the old epoch ends {@code MISMATCH} and
 * touches no store, also those of requests that begin before the commit. Lock: this, for the state
 * alone; nothing waits under it.
 */
final class Epochs {
  private final Machinery machinery;
  private final Store store;
  private final UpdateHistory history = new UpdateHistory();
  private Epoch current;
  private boolean updating;
  private boolean closed;
  private int open;
  private Deadline updateDeadline;

  Epochs(Machinery machinery, Store store) {
    this.machinery = machinery;
    this.store = store;
  }

  /**
   * Opens the first namespace.
   *
   * @throws KvasirException if the store refuses it or does not answer
   */
  void open(NamespaceManifest deployment) {
    Epoch first = epoch(deployment, machinery.policy.namespace(deployment));
    Deadline deadline = Deadline.after(machinery.settings.openTimeout());
    synchronized (this) {
      history.owns(first.namespace, deployment.weights());
    }
    first.callBegan();
    FutureTask<Void> opening =
        new FutureTask<>(
            () -> {
              try {
                first.store(deadline);
                return null;
              } finally {
                first.callEnded();
              }
            });
    current = first;
    machinery.loads.submit(opening);
    Throwable failure;
    try {
      opening.get(deadline.remainingNanos(), TimeUnit.NANOSECONDS);
      return;
    } catch (ExecutionException e) {
      failure = e.getCause();
    } catch (TimeoutException e) {
      failure = new TimeoutException("no answer within " + machinery.settings.openTimeout());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      failure = e;
    }
    throw new KvasirException(
        "%s cannot be opened in the store: %s".formatted(first.namespace, failure.getMessage()),
        failure);
  }

  private Epoch epoch(NamespaceManifest deployment, NamespaceManifest namespace) {
    synchronized (this) {
      open++;
    }
    return new Epoch(deployment, namespace, store, this::unused);
  }

  /** Closes the namespace of an epoch on a worker: the caller may be an engine's thread. */
  private void unused(Epoch epoch) {
    Runnable close =
        () -> {
          var _ =
              machinery.calls.runOther(
                  "closing " + epoch.namespace,
                  machinery.loads,
                  Deadline.after(machinery.settings.closeTimeout()),
                  epoch::close);
          synchronized (this) {
            open--;
            notifyAll();
          }
        };
    if (!machinery.loads.submit(close)) {
      close.run(); // shut down already: this is a late worker
    }
  }

  /** {@return the epoch in force, held once more for a new request} */
  synchronized Epoch enter() {
    requireOpen();
    current.hold();
    return current;
  }

  private void requireOpen() {
    if (closed) {
      throw new KvasirException("the connector is closed; connect again");
    }
  }

  synchronized NamespaceManifest namespace() {
    return current.namespace;
  }

  /** Fences the epoch in force, and drains it until the deadline. */
  Update begin(Deadline deadline) {
    Epoch old;
    synchronized (this) {
      requireOpen();
      if (updating) {
        throw new KvasirException("a weight update is in progress; commit or close it first");
      }
      updating = true;
      updateDeadline = deadline;
      old = current;
    }
    old.refuse(BlockStatus.MISMATCH).forEach(Operation::fence);
    boolean quiet = false;
    try {
      quiet = old.awaitQuiet(deadline);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (!quiet) {
      List<Operation<?>> left = old.running();
      left.forEach(operation -> operation.refuse(BlockStatus.TIMEOUT));
      machinery.log.log(
          Level.WARNING,
          "weight update: %d transfers and %d calls of the store had not ended by the deadline and are abandoned"
              .formatted(left.size(), old.calls()));
    }
    return new Update(this);
  }

  /** Opens the namespace of the new weights, which new requests get from here on. */
  void commit(Weights weights) {
    Epoch old;
    Deadline until;
    synchronized (this) {
      requireOpen();
      old = current;
      history.require(weights, old.deployment.weights());
      until = updateDeadline;
    }
    boolean same = weights.hexId().equals(old.deployment.weights().hexId());
    Epoch next = same ? epoch(old.deployment, old.namespace) : after(old, weights);
    boolean owned;
    synchronized (this) {
      owned = history.owns(next.namespace, weights);
    }
    if (!owned) {
      next.refuse(BlockStatus.MISMATCH);
      machinery.log.log(
          Level.WARNING,
          "the identity policy %s does not tell these weights from others: nothing is looked up, loaded or saved until the next update"
              .formatted(machinery.policy.name()));
    } else {
      open(next, until);
    }
    boolean late;
    synchronized (this) {
      late = closed;
      if (!late) {
        current = next;
        updating = false;
      }
    }
    if (late) {
      next.refuse(BlockStatus.CLOSED);
      next.release();
      return;
    }
    old.release();
    if (!same) {
      machinery.listeners.tell(
          l -> l.namespaceChanged(old.namespace.id().hex(), next.namespace.id().hex()));
    }
  }

  private Epoch after(Epoch old, Weights weights) {
    NamespaceManifest d = old.deployment;
    NamespaceManifest deployment =
        NamespaceManifest.of(d.tenant(), weights, d.format())
            .withLabels(d.labels())
            .superseding(old.namespace.id());
    return epoch(deployment, machinery.policy.namespace(deployment));
  }

  /** Tries to open a namespace now; an operation tries again if that fails. */
  private void open(Epoch next, Deadline until) {
    Deadline deadline = Deadline.after(machinery.settings.openTimeout());
    next.callBegan();
    FutureTask<BlockStatus> opening =
        new FutureTask<>(
            () ->
                machinery.calls.run(
                    "opening of " + next.namespace, machinery.loads, next, deadline, _ -> true));
    machinery.loads.submit(opening);
    long wait = Math.max(until.remainingNanos(), machinery.settings.lookupDeadline().toNanos());
    try {
      opening.get(Math.min(wait, deadline.remainingNanos()), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      machinery.log.log(Level.ERROR, "the guard of a call failed", e.getCause());
    } catch (TimeoutException e) {
      machinery.log.log(Level.WARNING, next.namespace + " is not open yet; saves and loads wait");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** An update that was not committed may have touched the weights: nobody knows them. */
  void giveUp() {
    synchronized (this) {
      if (closed) {
        return;
      }
    }
    commit(Weights.unknown());
  }

  /** Refuses everything from here on. {@return false if that was done before} */
  boolean close() {
    Epoch last;
    synchronized (this) {
      if (closed) {
        return false;
      }
      closed = true;
      last = current;
    }
    if (last != null) {
      last.refuse(BlockStatus.CLOSED).forEach(operation -> operation.refuse(BlockStatus.CLOSED));
      last.release();
    }
    return true;
  }

  /** {@return whether the namespaces of all epochs were closed by the deadline} */
  synchronized boolean awaitClosed(Deadline deadline) throws InterruptedException {
    while (open > 0) {
      long left = deadline.remainingNanos();
      if (left <= 0) {
        return false;
      }
      TimeUnit.NANOSECONDS.timedWait(this, left);
    }
    return true;
  }
}
