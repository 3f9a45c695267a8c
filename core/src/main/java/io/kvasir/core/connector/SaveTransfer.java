package io.kvasir.core.connector;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.Completion;
import io.kvasir.api.Deadline;
import io.kvasir.api.Fence;
import io.kvasir.api.SaveResult;
import io.kvasir.api.store.Blocks;
import java.util.Set;

/** Stores the engine's blocks: gathered into frames, then handed to the store, lane by lane. */
final class SaveTransfer extends Operation<SaveResult> {
  private final Plan plan;
  private final Fence fence;
  private long queued;
  private volatile boolean ready;
  private Thread waiting;

  SaveTransfer(Request request, Deadline deadline, Plan plan, Fence fence) {
    super(request, deadline);
    this.plan = plan;
    this.fence = fence;
    this.queued = plan.bytes();
    this.ready = !(fence instanceof Fence.When);
  }

  @Override
  boolean drains() {
    return true;
  }

  /** {@return whether the engine's bytes may be read, as far as the core waits for that} */
  boolean ready() {
    return ready;
  }

  @Override
  void start() {
    if (fence instanceof Fence.When when && !plan.batches().isEmpty()) {
      machinery.saves.submit(() -> await(when.condition()));
    }
    plan.batches().forEach(batch -> request.lane(batch.part()).add(this, batch));
    advanceLanes();
  }

  private void advanceLanes() {
    Set<Part> parts = new java.util.LinkedHashSet<>();
    plan.batches().forEach(batch -> parts.add(batch.part()));
    parts.forEach(part -> request.lane(part).advance());
  }

  private void await(Fence.Condition condition) {
    synchronized (this) {
      if (refused() != null) {
        return;
      }
      waiting = Thread.currentThread();
    }
    boolean[] signalled = new boolean[1];
    BlockStatus failure =
        machinery.calls.runOther(
            "the fence of a save",
            machinery.saves,
            deadline,
            () -> {
              try {
                signalled[0] = condition.await(deadline);
              } catch (InterruptedException e) {
                // by ended(): nobody asks for the answer any more
              }
            });
    synchronized (this) {
      waiting = null;
    }
    Thread.interrupted(); // by ended(), perhaps
    if (failure != null) {
      refuse(failure);
    } else if (!signalled[0]) {
      refuse(BlockStatus.TIMEOUT);
    } else {
      ready = true;
      advanceLanes();
    }
  }

  /** Reads the engine's memory. {@return whether the batch is in its frames} */
  boolean gather(Batch batch) {
    boolean blockwise = Paths.blockwise(plan.path(batch.part()));
    int step = blockwise ? 1 : batch.count();
    for (int at = 0; at < batch.count(); at += step) {
      if (!gather(batch, at, at + step)) {
        return false;
      }
    }
    unqueue(batch.bytes());
    return true;
  }

  private boolean gather(Batch batch, int from, int to) {
    if (!beginCopy()) {
      return false;
    }
    BlockStatus failure = BlockStatus.IO;
    try {
      Part part = batch.part();
      failure =
          machinery.calls.runPath(
              "gather of " + batch.keys,
              machinery.saves,
              plan.path(part),
              deadline,
              path ->
                  path.gather(
                      plan.memory(part),
                      batch.first + from,
                      batch.payloads(from, to),
                      fence instanceof Fence.Event ? fence : Fence.none(),
                      deadline));
    } finally {
      endCopy(batch, 0, failure == null ? 0 : batch.count(), failure);
    }
    return failure == null;
  }

  /** Hands a gathered batch to the store. */
  void store(Batch batch) {
    if (!handOver(batch)) {
      return;
    }
    Blocks blocks = batch.handOut();
    BlockStatus failure =
        machinery.calls.run(
            "save of " + batch.keys,
            machinery.saves,
            epoch,
            deadline,
            store -> {
              store.save(blocks, deadline);
              return Statuses.answered(blocks);
            });
    BlockStatus[] statuses = new BlockStatus[batch.count()];
    for (int i = 0; i < statuses.length; i++) {
      statuses[i] = Statuses.of(blocks, i, failure);
      if (statuses[i] == BlockStatus.OK && machinery.failed.any()) {
        machinery.failed.forget(batch.keys, i);
      }
    }
    Statuses.say(machinery.causes, "save", blocks);
    back(batch, statuses);
  }

  private synchronized void unqueue(long bytes) {
    long less = Math.min(bytes, queued);
    queued -= less;
    machinery.counters.saves.release(less);
  }

  @Override
  SaveResult conclude(BlockStatus rest) {
    unqueue(queued);
    plan.spans().forEach(span -> span.setRest(rest));
    return new SaveResult(plan.spans().stream().map(Span::result).toList());
  }

  @Override
  void ended(SaveResult result) {
    synchronized (this) {
      if (waiting != null) {
        waiting.interrupt();
      }
    }
    request.saved(plan.spans());
    advanceLanes();
    long nanos = System.nanoTime() - begun;
    Statuses.count(
        plan.spans(), (s, n, bytes) -> machinery.listeners.tell(l -> l.saved(s, n, bytes, nanos)));
  }

  @Override
  Completion completion(SaveResult result) {
    return new Completion.Save(id(), request.id(), result);
  }
}
