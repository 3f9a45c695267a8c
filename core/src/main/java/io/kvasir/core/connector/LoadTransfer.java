package io.kvasir.core.connector;

import io.kvasir.api.BlockMemory;
import io.kvasir.api.BlockStatus;
import io.kvasir.api.Completion;
import io.kvasir.api.Deadline;
import io.kvasir.api.LoadResult;
import io.kvasir.api.store.Blocks;
import io.kvasir.api.store.Landing;
import io.kvasir.api.store.StoreException;
import io.kvasir.api.store.TransferPath;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;

/** Fills the engine's memory: frames from the store, then, block by block, from the frames. */
final class LoadTransfer extends Operation<LoadResult> {
  private final Match match;
  private final Plan plan;
  private final boolean ahead;
  private final Landings landings = new Landings(); // guarded by this
  private final List<Asking> asking = new ArrayList<>();
  private long queued;
  private int next;

  /**
   * Creates a load.
   *
   * @param ahead whether it ends once the copies are ordered
   */
  LoadTransfer(Request request, Deadline deadline, Match match, Plan plan, boolean ahead) {
    super(request, deadline);
    this.match = match;
    this.plan = plan;
    this.ahead = ahead;
    this.queued = plan.bytes();
  }

  /** A batch that waits for frames. */
  private final class Asking implements FramePool.Borrower {
    private final Batch batch;

    Asking(Batch batch) {
      this.batch = batch;
    }

    @Override
    public void lent(FramePool.Loan loan) {
      batch.loan = loan;
      if (LoadTransfer.this.refused() != null) {
        machinery.giveBack(batch);
        done(this);
      } else {
        machinery.loads.submit(() -> run(this));
      }
    }

    @Override
    public void refused(Throwable cause) {
      machinery.causes.say(BlockStatus.CAPACITY, "load of " + batch.keys, cause);
      LoadTransfer.this.refuse(BlockStatus.CAPACITY);
      done(this);
    }
  }

  @Override
  void start() {
    for (int i = 0; i < machinery.settings.loadWorkers(); i++) {
      next();
    }
  }

  private void next() {
    Asking ask;
    synchronized (this) {
      if (refused() != null || next == plan.batches().size()) {
        return;
      }
      ask = new Asking(plan.batches().get(next++));
      asking.add(ask);
    }
    machinery.frames.take(ask.batch.part().payloadBytes(), ask.batch.count(), false, ask);
  }

  private void done(Asking ask) {
    synchronized (this) {
      asking.remove(ask);
    }
    batchDone();
    next();
  }

  private void run(Asking ask) {
    Batch batch = ask.batch;
    try {
      if (handOver(batch)) {
        batch.handed = true;
        unqueue(batch.bytes());
        Blocks blocks = batch.handOut();
        BlockStatus failure = call(batch, blocks);
        if (back(batch)) {
          arrived(batch, blocks, failure);
        }
      }
    } finally {
      letGo(batch);
      done(ask);
    }
  }

  /** Gives the frames back, unless a landing reads them still: then with the last. */
  private void letGo(Batch batch) {
    if (batch.users.decrementAndGet() == 0) {
      machinery.giveBack(batch);
    }
  }

  private BlockStatus call(Batch batch, Blocks blocks) {
    Held held = match.leases().get(batch.part().index());
    return machinery.calls.run(
        "load of " + batch.keys,
        machinery.loads,
        epoch,
        deadline,
        store -> {
          store.load(held.lease(), blocks, deadline);
          return Statuses.answered(blocks);
        });
  }

  private void arrived(Batch batch, Blocks blocks, BlockStatus failure) {
    Statuses.say(machinery.causes, "load", blocks);
    boolean blockwise = Paths.blockwise(plan.path(batch.part()));
    int at = 0;
    while (at < batch.count()) {
      BlockStatus status = Statuses.of(blocks, at, failure);
      if (status == BlockStatus.OK) {
        int end = at + 1;
        while (!blockwise
            && end < batch.count()
            && Statuses.of(blocks, end, failure) == BlockStatus.OK) {
          end++;
        }
        scatter(batch, at, end);
        at = end;
      } else {
        set(batch, at, at + 1, status);
        machinery.failed.add(batch.keys, at);
        at++;
      }
    }
  }

  /** Copies blocks to the engine, unless it has its memory back already. */
  private void scatter(Batch batch, int from, int to) {
    if (!beginCopy()) {
      return;
    }
    Landing[] landing = {Landing.DONE};
    BlockStatus status = BlockStatus.IO;
    try {
      BlockStatus failure =
          machinery.calls.runPath(
              "scatter of " + batch.keys,
              machinery.loads,
              plan.path(batch.part()),
              deadline,
              path -> landing[0] = scatter(path, batch, from, to));
      status = failure == null ? BlockStatus.OK : failure;
    } finally {
      if (Landing.DONE.equals(landing[0])) {
        endCopy(batch, from, to, status);
      } else {
        land(batch, from, to, landing[0]);
      }
    }
  }

  private Landing scatter(TransferPath path, Batch batch, int from, int to) throws StoreException {
    List<MemorySegment> payloads = batch.payloads(from, to);
    BlockMemory memory = plan.memory(batch.part());
    if (ahead) {
      return Objects.requireNonNull(
          path.land(payloads, memory, batch.first + from, deadline), "no landing");
    }
    path.scatter(payloads, memory, batch.first + from, deadline);
    return Landing.DONE;
  }

  /**
   * Sets the status of blocks on their way: their bytes are proven, and if the device fails now, it
   * is lost to the engine, too. Until the landing is done, it counts as a copy, and the frames are
   * in use. Its end may end the load, and what an engine does then is no business of the path's
   * thread; nor of a worker, for all of them may be with a store that hangs.
   */
  private void land(Batch batch, int from, int to, Landing landing) {
    batch.users.incrementAndGet();
    Landings.Flight flight;
    synchronized (this) {
      flight = landings.add(batch.part(), landing);
    }
    try {
      landing.whenDone(() -> machinery.landed.execute(() -> landed(batch, from, to, flight)));
      set(batch, from, to, BlockStatus.OK);
    } catch (Throwable t) {
      machinery.causes.say(BlockStatus.IO, "the landing of " + batch.keys, t);
      lose(batch, from, to, flight);
    }
  }

  private void landed(Batch batch, int from, int to, Landings.Flight flight) {
    Landings.State before;
    synchronized (this) {
      before = landings.done(flight);
    }
    switch (before) {
      case UNDER_WAY -> {
        endCopy(batch, from, to, BlockStatus.OK);
        letGo(batch);
      }
      case UNKNOWN -> letGo(batch);
      case DONE -> {} // said twice: the frames are another's by now
    }
  }

  /**
   * Copies of which nobody will say when they are done. The load shall end all the same: its
   * arrival has their events, but nothing waits for those where frames are lent.
   */
  private void lose(Batch batch, int from, int to, Landings.Flight flight) {
    synchronized (this) {
      if (!landings.unknown(flight)) {
        return;
      }
      machinery.frames.quarantine(batch.loan);
    }
    machinery.tripIfQuarantineFull();
    endCopy(batch, from, to, BlockStatus.IO);
  }

  private synchronized void unqueue(long bytes) {
    long less = Math.min(bytes, queued);
    queued -= less;
    machinery.counters.loads.release(less);
  }

  @Override
  LoadResult conclude(BlockStatus rest) {
    unqueue(queued);
    List<BitSet> good = new ArrayList<>();
    for (Span span : plan.spans()) {
      span.setRest(rest);
      BitSet bits = new BitSet();
      span.addGood(bits);
      good.add(bits);
    }
    long tokens = plan.spans().isEmpty() ? 0 : machinery.layout.usable(match.tokens(), good);
    return new LoadResult(
        (int) tokens, plan.spans().stream().map(Span::result).toList(), landings.arrival());
  }

  @Override
  void ended(LoadResult result) {
    List<Asking> waiting;
    synchronized (this) {
      waiting = List.copyOf(asking);
    }
    waiting.forEach(machinery.frames::forget);
    plan.batches().stream().filter(b -> b.handed).forEach(this::rememberLate);
    request.loaded(plan.spans());
    long nanos = System.nanoTime() - begun;
    Statuses.count(
        plan.spans(), (s, n, bytes) -> machinery.listeners.tell(l -> l.loaded(s, n, bytes, nanos)));
  }

  /** A store that let these blocks' time pass is not asked for them again at once. */
  private void rememberLate(Batch batch) {
    for (int i = 0; i < batch.count(); i++) {
      if (batch.status(i) == BlockStatus.TIMEOUT) {
        machinery.failed.add(batch.keys, i);
      }
    }
  }

  @Override
  Completion completion(LoadResult result) {
    return new Completion.Load(id(), request.id(), result);
  }
}
