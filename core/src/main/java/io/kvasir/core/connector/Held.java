package io.kvasir.core.connector;

import io.kvasir.api.store.BlockLease;
import java.util.concurrent.atomic.AtomicBoolean;

/** A store's lease in the connector's hands: counted, and closed exactly once. */
final class Held {
  private final Machinery machinery;
  private final Epoch epoch;
  private final BlockLease lease;
  private final AtomicBoolean released = new AtomicBoolean();

  /** Counts a lease that a call of the epoch's store gave. */
  Held(Machinery machinery, Epoch epoch, BlockLease lease) {
    this.machinery = machinery;
    this.epoch = epoch;
    this.lease = lease;
    machinery.counters.leases.incrementAndGet();
    epoch.hold();
  }

  BlockLease lease() {
    return lease;
  }

  boolean released() {
    return released.get();
  }

  /** Closes the lease on a worker: the caller may be an engine's thread. */
  void release() {
    if (released.compareAndSet(false, true)) {
      if (!machinery.loads.submit(this::close)) {
        close();
      }
    }
  }

  /** Closes the lease on this thread, a worker. */
  void releaseHere() {
    if (released.compareAndSet(false, true)) {
      close();
    }
  }

  private void close() {
    try {
      var _ =
          machinery.calls.runOther(
              "closing a lease",
              machinery.loads,
              io.kvasir.api.Deadline.after(machinery.settings.closeTimeout()),
              lease::close);
    } finally {
      machinery.counters.leases.decrementAndGet();
      epoch.release();
    }
  }

  /** Renews the lease on this thread, a worker. */
  void renew() {
    if (!released()) {
      var _ =
          machinery.calls.runOther(
              "renewing a lease",
              machinery.loads,
              io.kvasir.api.Deadline.after(machinery.settings.loadDeadline()),
              lease::renew);
    }
  }
}
