package io.kvasir.core.connector;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.Deadline;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.store.NamespaceStore;
import io.kvasir.api.store.Store;
import io.kvasir.api.store.StoreException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * The time between two weight updates: a deployment, its namespace in the store, and what runs in
 * it. Requests, operations, calls and leases hold it; when nobody does, its namespace is closed.
 *
 * <p>Lock: this. Nobody else's lock is taken under it.
 */
final class Epoch {
  final NamespaceManifest deployment;
  final NamespaceManifest namespace;
  private final Store store;
  private final Consumer<Epoch> unused;
  private final ReentrantLock opening = new ReentrantLock();
  private final Set<Operation<?>> running = new LinkedHashSet<>();
  private volatile NamespaceStore open;
  private volatile boolean closed;
  private BlockStatus refusal;
  private int calls;
  private int holds = 1;

  /**
   * Begins an epoch, held once.
   *
   * @param deployment what the engine computes with
   * @param namespace where the policy keeps its blocks
   * @param unused called once, when nobody holds it any more
   */
  Epoch(
      NamespaceManifest deployment,
      NamespaceManifest namespace,
      Store store,
      Consumer<Epoch> unused) {
    this.deployment = deployment;
    this.namespace = namespace;
    this.store = store;
    this.unused = unused;
  }

  /** {@return the open namespace; opened now where that failed before} */
  NamespaceStore store(Deadline deadline) throws StoreException {
    NamespaceStore there = open;
    if (there != null) {
      return there;
    }
    try {
      if (!opening.tryLock(Math.max(0, deadline.remainingNanos()), TimeUnit.NANOSECONDS)) {
        throw new StoreException(StoreException.Kind.TIMEOUT, namespace + " is being opened");
      }
    } catch (InterruptedException e) {
      throw new StoreException(StoreException.Kind.TIMEOUT, namespace + " was not opened", e);
    }
    try {
      if (closed) {
        throw new StoreException(StoreException.Kind.CLOSED, namespace + " is closed");
      }
      if (open == null) {
        open = java.util.Objects.requireNonNull(store.open(namespace), "Store.open gave null");
      }
      return open;
    } finally {
      opening.unlock();
    }
  }

  /** {@return null if the operation runs in this epoch now, or why it must not} */
  synchronized BlockStatus admit(Operation<?> operation) {
    if (refusal == null) {
      running.add(operation);
      holds++; // beyond its calls: a device may copy still when they have returned
    }
    return refusal;
  }

  void ended(Operation<?> operation) {
    synchronized (this) {
      if (!running.remove(operation)) {
        return;
      }
      notifyAll();
    }
    release();
  }

  /** Admits nothing from here on. {@return what ran} */
  synchronized List<Operation<?>> refuse(BlockStatus why) {
    refusal = why;
    return new ArrayList<>(running);
  }

  synchronized boolean refuses() {
    return refusal != null;
  }

  synchronized List<Operation<?>> running() {
    return new ArrayList<>(running);
  }

  /** Notes a call of the store; an operation's lock makes it one step with asking its refusal. */
  synchronized void callBegan() {
    calls++;
    holds++;
  }

  void callEnded() {
    synchronized (this) {
      calls--;
      notifyAll();
    }
    release();
  }

  /** {@return whether nothing of it runs, neither operations nor calls, by the deadline} */
  synchronized boolean awaitQuiet(Deadline deadline) throws InterruptedException {
    while (calls > 0 || !running.isEmpty()) {
      long left = deadline.remainingNanos();
      if (left <= 0) {
        return false;
      }
      TimeUnit.NANOSECONDS.timedWait(this, left);
    }
    return true;
  }

  synchronized int calls() {
    return calls;
  }

  synchronized void hold() {
    holds++;
  }

  void release() {
    boolean last;
    synchronized (this) {
      last = --holds == 0;
    }
    if (last) {
      unused.accept(this);
    }
  }

  /** Closes the namespace if it is open; called once nobody holds the epoch. */
  void close() {
    closed = true;
    NamespaceStore there = open;
    if (there != null) {
      there.close();
    }
  }
}
