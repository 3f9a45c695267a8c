package io.kvasir.core.connector;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * The saves of one part of a request, in order: a batch is gathered while the store writes the one
 * before it, and the store never gets a child before its parent's call has returned.
 *
 * <p>At most one batch has asked for frames or is being gathered, one is gathered and waits, and
 * one is with the store. Lock: this; nothing is called under it.
 */
final class SaveLane {
  private final Machinery machinery;
  private final Part part;
  private final Deque<Step> waiting = new ArrayDeque<>();
  private Step gathering;
  private Step gathered;
  private Step storing;

  SaveLane(Machinery machinery, Part part) {
    this.machinery = machinery;
    this.part = part;
  }

  /** A batch of a save on its way through the lane. */
  private final class Step implements FramePool.Borrower {
    private final SaveTransfer save;
    private final Batch batch;

    Step(SaveTransfer save, Batch batch) {
      this.save = save;
      this.batch = batch;
    }

    boolean over() {
      return save.refused() != null || save.settled();
    }

    @Override
    public void lent(FramePool.Loan loan) {
      batch.loan = loan;
      machinery.saves.submit(() -> gather(this));
    }

    @Override
    public void refused(Throwable cause) {
      machinery.causes.say(io.kvasir.api.BlockStatus.CAPACITY, "save of " + batch.keys, cause);
      save.refuse(io.kvasir.api.BlockStatus.CAPACITY);
      left(this);
    }
  }

  synchronized void add(SaveTransfer save, Batch batch) {
    waiting.addLast(new Step(save, batch));
  }

  /** Starts whatever can start now. */
  void advance() {
    Step store = null;
    Step gather = null;
    Step forget;
    List<Step> dropped = new ArrayList<>();
    synchronized (this) {
      forget = gathering != null && gathering.over() ? gathering : null;
      if (gathered != null && gathered.over()) {
        dropped.add(gathered);
        gathered = null;
      }
      if (storing != null && storing.save.settled()) {
        storing = null; // given up: its call may never come back
      }
      if (storing == null && gathered != null) {
        store = storing = gathered;
        gathered = null;
      }
      while (!waiting.isEmpty() && waiting.peekFirst().over()) {
        dropped.add(waiting.pollFirst());
      }
      if (gathering == null
          && gathered == null
          && !waiting.isEmpty()
          && waiting.peekFirst().save.ready()) {
        gather = gathering = waiting.pollFirst();
      }
    }
    dropped.forEach(this::drop);
    act(store, gather);
    if (forget != null && machinery.frames.forget(forget)) {
      left(forget);
    }
  }

  private void act(Step store, Step gather) {
    if (store != null) {
      machinery.saves.submitFirst(() -> store(store));
    }
    if (gather != null) {
      machinery.frames.take(part.payloadBytes(), gather.batch.count(), true, gather);
    }
  }

  private void drop(Step step) {
    if (step.batch.loan != null) {
      machinery.giveBack(step.batch);
    }
    step.save.batchDone();
  }

  /** A batch leaves the lane without having been gathered. */
  private void left(Step step) {
    synchronized (this) {
      gathering = gathering == step ? null : gathering;
    }
    step.save.batchDone();
    advance();
  }

  private void gather(Step step) {
    boolean whole = false;
    try {
      whole = step.save.gather(step.batch);
    } finally {
      if (whole) {
        synchronized (this) {
          gathering = null;
          gathered = step;
        }
        advance();
      } else {
        machinery.giveBack(step.batch);
        left(step);
      }
    }
  }

  private void store(Step step) {
    try {
      step.save.store(step.batch);
    } finally {
      machinery.giveBack(step.batch);
      synchronized (this) {
        storing = storing == step ? null : storing;
      }
      step.save.batchDone();
      advance();
    }
  }
}
