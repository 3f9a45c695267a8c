package io.kvasir.core.connector;

import io.kvasir.api.BlockMemory;
import io.kvasir.api.BlockStatus;
import io.kvasir.api.Deadline;
import io.kvasir.api.Fence;
import io.kvasir.api.KvRequest;
import io.kvasir.api.KvasirException;
import io.kvasir.api.LoadResult;
import io.kvasir.api.PrefixMatch;
import io.kvasir.api.SaveResult;
import io.kvasir.api.Transfer;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.identity.ContentItem;
import io.kvasir.api.identity.RequestScope;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;

/**
 * A request: its chains, what is known to be stored, the lease of its prefix, what runs for it.
 *
 * <p>Methods of the interface run on the engine's thread; the others on workers. Lock: this, and
 * nobody else's is taken under it.
 */
final class Request implements KvRequest {
  private static final String NO_MEMORY = "memory: null; give the blocks of the engine";
  private static final String NO_DEADLINE = "deadline: null; give one, or none for the configured";

  final Machinery machinery;
  final Epoch epoch;
  private final long id;
  private final Consumer<Request> closer;
  private final Chains chains;
  private final List<SaveLane> lanes = new ArrayList<>();
  private final List<BitSet> stored = new ArrayList<>();
  private final Set<Operation<?>> running = new LinkedHashSet<>();
  private Match match;
  private boolean saved;
  private boolean closed;

  Request(
      Machinery machinery,
      Epoch epoch,
      RequestScope scope,
      int[] prompt,
      List<ContentItem> items,
      Consumer<Request> closer) {
    this.machinery = machinery;
    this.epoch = epoch;
    this.closer = closer;
    this.id = machinery.ids.incrementAndGet();
    this.chains =
        new Chains(
            machinery.layout,
            epoch.namespace,
            machinery.policy.hasher(epoch.namespace, scope),
            prompt,
            items);
    for (Part part : machinery.layout.parts()) {
      lanes.add(new SaveLane(machinery, part));
      stored.add(new BitSet());
    }
  }

  private void requireOpen() {
    synchronized (this) {
      if (!closed) {
        return;
      }
    }
    throw new KvasirException("request %d is closed; begin another".formatted(id));
  }

  @Override
  public long id() {
    return id;
  }

  @Override
  public void append(int token) {
    requireOpen();
    chains.append(token);
  }

  @Override
  public long tokens() {
    return chains.tokens();
  }

  @Override
  public Transfer<PrefixMatch> lookup() {
    return lookup(Deadline.after(machinery.settings.lookupDeadline()));
  }

  @Override
  public Transfer<PrefixMatch> lookup(Deadline deadline) {
    Objects.requireNonNull(deadline, NO_DEADLINE);
    requireOpen();
    long limit = Math.max(0, chains.tokens() - 1);
    limit -= limit % machinery.layout.step();
    List<BlockKeys> keys = new ArrayList<>();
    for (Part part : machinery.layout.parts()) {
      keys.add(chains.keys(part, 0, part.end(limit)));
    }
    LookupTransfer lookup = new LookupTransfer(this, cut(deadline), chains.tokens(), limit, keys);
    lookup.begin(limit == 0 ? 0 : keys.size());
    return lookup;
  }

  private Deadline cut(Deadline deadline) {
    return deadline.min(Deadline.after(machinery.settings.longestDeadline()));
  }

  @Override
  public Transfer<LoadResult> load(PrefixMatch match, BlockMemory memory) {
    return load(match, memory, Deadline.after(machinery.settings.loadDeadline()));
  }

  @Override
  public Transfer<LoadResult> load(PrefixMatch match, BlockMemory memory, Deadline deadline) {
    return load(match, memory, deadline, false);
  }

  @Override
  public Transfer<LoadResult> loadAhead(PrefixMatch match, BlockMemory memory, Deadline deadline) {
    return load(match, memory, deadline, true);
  }

  private Transfer<LoadResult> load(
      PrefixMatch asked, BlockMemory memory, Deadline deadline, boolean ahead) {
    Objects.requireNonNull(asked, "match: null; give what the lookup returned");
    Objects.requireNonNull(memory, NO_MEMORY);
    Objects.requireNonNull(deadline, NO_DEADLINE);
    requireOpen();
    Match held = requireMatch(asked);
    Plan plan = Plan.load(machinery, chains, asked.tokens(), memory);
    LoadTransfer load = new LoadTransfer(this, cut(deadline), held, plan, ahead);
    load.begin(plan.batches().size());
    return load;
  }

  private Match requireMatch(PrefixMatch asked) {
    if (asked.requestId() != id) {
      throw new KvasirException(
          "a match of request %d given to request %d; load what its own lookup returned"
              .formatted(asked.requestId(), id));
    }
    synchronized (this) {
      if (asked.tokens() > 0 && (match == null || match.tokens() != asked.tokens())) {
        throw new KvasirException(
            "a match of %d tokens, but the last lookup of request %d found %d; load what it returned"
                .formatted(asked.tokens(), id, match == null ? 0 : match.tokens()));
      }
      return match;
    }
  }

  @Override
  public Transfer<SaveResult> save(BlockMemory memory, Fence ready) {
    Objects.requireNonNull(memory, NO_MEMORY);
    Objects.requireNonNull(ready, "ready: null; give Fence.none() if the bytes are there");
    requireOpen();
    if (!machinery.writable) {
      machinery.sayReadOnly();
    }
    Plan plan =
        Plan.save(
            machinery,
            chains,
            memory,
            ready,
            machinery.writable ? this::notStored : (_, _, _) -> List.of());
    Deadline deadline = Deadline.after(machinery.settings.saveMaxWait());
    SaveTransfer save = new SaveTransfer(this, deadline, plan, ready);
    save.begin(plan.batches().size());
    return save;
  }

  /** {@return the blocks to save, which count as stored from here on} */
  private synchronized List<Span> notStored(Part part, int first, int end) {
    BitSet there = stored.get(part.index());
    List<Span> runs = Span.runs(part, first, end, block -> !there.get(block));
    there.set(first, end);
    return runs;
  }

  SaveLane lane(Part part) {
    return lanes.get(part.index());
  }

  synchronized void began(Operation<?> operation) {
    running.add(operation);
  }

  /** Keeps what a lookup found, or lets it go if the request is closed. */
  void matched(Match found, List<BitSet> present) {
    Match old;
    synchronized (this) {
      if (closed) {
        old = found;
      } else {
        old = match;
        match = found;
        saved = false;
        for (int i = 0; i < present.size(); i++) {
          stored.get(i).or(present.get(i));
        }
      }
    }
    if (old != null) {
      old.release();
    }
  }

  /** Forgets blocks that a load did not find after all: they are to be saved again. */
  synchronized void loaded(List<Span> spans) {
    for (Span span : spans) {
      for (int b = span.first; b < span.end(); b++) {
        switch (span.statuses[b - span.first]) {
          case MISS, CORRUPT, MISMATCH -> stored.get(span.part.index()).clear(b);
          case OK, TIMEOUT, CAPACITY, IO, CANCELLED, CLOSED -> {}
        }
      }
    }
  }

  /** Forgets blocks that were not stored: the next save tries again. */
  synchronized void saved(List<Span> spans) {
    for (Span span : spans) {
      for (int b = span.first; b < span.end(); b++) {
        if (span.statuses[b - span.first] != BlockStatus.OK) {
          stored.get(span.part.index()).clear(b);
        } else {
          saved = true;
        }
      }
    }
  }

  /** Lets the lease go once the suffix is saved and nothing runs that may need it. */
  void ended(Operation<?> operation) {
    Match done = null;
    synchronized (this) {
      running.remove(operation);
      if (saved && running.isEmpty()) {
        done = match;
      }
    }
    if (done != null) {
      done.release();
    }
  }

  /** Renews the lease on the calling worker. */
  void renew(Duration limit) {
    Match now;
    synchronized (this) {
      now = match;
    }
    if (now != null && now.youngerThan(limit) && !epoch.refuses() && machinery.breaker.permits()) {
      now.leases().forEach(Held::renew);
    }
  }

  @Override
  public void close() {
    close(BlockStatus.CANCELLED);
  }

  void close(BlockStatus why) {
    List<Operation<?>> left;
    Match last;
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
      left = List.copyOf(running);
      last = match;
    }
    left.forEach(operation -> operation.refuse(why));
    if (last != null) {
      last.release();
    }
    closer.accept(this);
  }
}
