package io.kvasir.core.connector;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.Completion;
import io.kvasir.api.Deadline;
import io.kvasir.api.Transfer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;

/**
 * A transfer: how it is given up, when it has ended, and who gets its result.
 *
 * <p>Work goes on in batches. A batch asks before each step: {@link #handOver} before the store
 * gets it, {@link #beginCopy} before the engine's memory is touched. Once the operation is refused
 * (cancelled, late, fenced, closed) the answer is no. It ends when every batch has, or, refused,
 * when nobody copies and, if it drains, no call of the store runs. A copy that a path has ordered
 * on a device counts as one until it is done.
 *
 * <p>Lock: this. Under it only the epoch's and the frame pool's are taken.
 */
abstract class Operation<R> implements Transfer<R> {
  final Machinery machinery;
  final Request request;
  final Epoch epoch;
  final Deadline deadline;
  final long begun = System.nanoTime();
  private final long id;
  private final Delivery<R> delivery = new Delivery<>();
  private final List<Batch> inStore = new ArrayList<>();
  private volatile BlockStatus refusal;
  private boolean severed;
  private int copies;
  private int open;
  private volatile R concluded;
  private Future<?> expiry;

  Operation(Request request, Deadline deadline) {
    this.request = request;
    this.machinery = request.machinery;
    this.epoch = request.epoch;
    this.deadline = deadline;
    this.id = machinery.ids.incrementAndGet();
  }

  /** Hands the batches on; called once, if the operation is admitted. */
  abstract void start();

  /** {@return the result; blocks without a status get this one. Called once, under the lock} */
  abstract R conclude(BlockStatus rest);

  /** Cleans up, before the result is seen by anybody. Called once, under no lock. */
  abstract void ended(R result);

  abstract Completion completion(R result);

  /** {@return whether a fence lets calls of the store that run come to their end} */
  boolean drains() {
    return false;
  }

  /** Begins with that many batches, or ends at once. */
  final void begin(int batches) {
    synchronized (this) {
      open = batches;
    }
    machinery.counters.transfers.incrementAndGet();
    request.began(this);
    BlockStatus refused = epoch.admit(this);
    if (refused == null && batches > 0 && !machinery.breaker.permits()) {
      refused = BlockStatus.IO;
    }
    if (refused == null) {
      Future<?> alarm = machinery.clock.at(deadline, () -> refuse(BlockStatus.TIMEOUT));
      synchronized (this) {
        expiry = alarm;
      }
      if (batches > 0) { // else it has ended, and what it brought nobody would release
        start();
      }
      settle();
    } else {
      refuse(refused);
    }
  }

  /** Refuses all further steps and waits for no call of the store. */
  final void refuse(BlockStatus why) {
    refuse(why, true);
  }

  /** The weights change: what is with the store may end, if it drains; nothing else goes on. */
  final void fence() {
    refuse(BlockStatus.MISMATCH, !drains());
  }

  private void refuse(BlockStatus why, boolean sever) {
    boolean quarantined = false;
    synchronized (this) {
      if (concluded != null) {
        return;
      }
      if (refusal == null) {
        refusal = why;
      }
      if (sever && !severed) {
        severed = true;
        for (Batch batch : inStore) {
          quarantined = true;
          machinery.frames.quarantine(batch.loan);
          batch.setAll(why);
        }
      }
    }
    if (quarantined) {
      machinery.tripIfQuarantineFull();
    }
    settle();
  }

  /** {@return whether the result is settled, though perhaps not published} */
  final boolean settled() {
    return concluded != null;
  }

  /** {@return why no further step is made, or null} */
  final BlockStatus refused() {
    return refusal;
  }

  /**
   * Asks to hand a batch to the store. If so, the call is counted in the epoch.
   *
   * @param batch null for a call without frames
   */
  final synchronized boolean handOver(Batch batch) {
    if (refusal != null) {
      return false;
    }
    if (batch != null) {
      inStore.add(batch);
    }
    epoch.callBegan();
    return true;
  }

  /** Notes that the store has a batch no longer. {@return whether the operation still goes on} */
  final synchronized boolean back(Batch batch) {
    inStore.remove(batch);
    return refusal == null;
  }

  /** Notes that the store has a batch no longer, and how its blocks ended, in one step. */
  final synchronized void back(Batch batch, BlockStatus[] statuses) {
    inStore.remove(batch);
    for (int i = 0; i < statuses.length; i++) {
      set(batch, i, i + 1, statuses[i]);
    }
  }

  /** Asks to touch the engine's memory; {@link #endCopy} follows. */
  final synchronized boolean beginCopy() {
    if (refusal != null) {
      return false;
    }
    copies++;
    return true;
  }

  /** Ends a copy, and sets the blocks' status in the same step unless it is null. */
  final void endCopy(Batch batch, int from, int to, BlockStatus status) {
    synchronized (this) {
      copies--;
      if (status != null) {
        set(batch, from, to, status);
      }
    }
    settle();
  }

  /** Sets the status of blocks of a batch, unless they have one. */
  final synchronized void set(Batch batch, int from, int to, BlockStatus status) {
    if (concluded == null) {
      for (int i = from; i < to; i++) {
        batch.span.set(batch.first + i, status);
      }
    }
  }

  /** Notes that a batch needs nothing any more. */
  final void batchDone() {
    synchronized (this) {
      open--;
    }
    settle();
  }

  /** Ends the operation if it can end now. */
  private void settle() {
    R now;
    synchronized (this) {
      boolean over =
          refusal == null
              ? open == 0 // copies that are ordered go on
              : copies == 0 && (open == 0 || severed || inStore.isEmpty());
      if (concluded != null || !over) {
        return;
      }
      now = conclude(refusal == null ? BlockStatus.IO : refusal);
      concluded = now;
      if (expiry != null) {
        expiry.cancel(false);
      }
    }
    ended(now);
    request.ended(this);
    machinery.counters.transfers.decrementAndGet();
    machinery.mailbox.count();
    if (delivery.publish(now)) {
      machinery.mailbox.put(this);
    }
    epoch.ended(this); // whoever drains the epoch finds the result
  }

  @Override
  public final long id() {
    return id;
  }

  @Override
  public final boolean done() {
    return delivery.done();
  }

  @Override
  public final void cancel() {
    refuse(BlockStatus.CANCELLED);
  }

  @Override
  public final R await(Deadline until) {
    boolean interrupted = !delivery.await(until);
    if (!done()) {
      refuse(interrupted ? BlockStatus.CANCELLED : BlockStatus.TIMEOUT);
      while (!done()) { // at most one block is being copied
        interrupted |= !delivery.await(Deadline.never());
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    if (!take()) {
      throw new IllegalStateException(
          "the result of transfer %d was taken before; await or poll gives it once".formatted(id));
    }
    if (delivery.mailed()) {
      machinery.mailbox.stale();
    }
    return delivery.result();
  }

  /** {@return whether the caller is the one who gets the result} */
  final boolean take() {
    if (!delivery.take()) {
      return false;
    }
    machinery.mailbox.uncount();
    return true;
  }

  final boolean taken() {
    return delivery.taken();
  }

  /** {@return the completion that poll delivers} */
  final Completion completion() {
    return completion(delivery.result());
  }
}
