package io.kvasir.core.connector;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.Completion;
import io.kvasir.api.Deadline;
import io.kvasir.api.PrefixMatch;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.store.BlockLease;
import io.kvasir.api.store.NamespaceStore;
import io.kvasir.api.store.StoreException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/** Asks the store for every part's blocks at once, and takes the longest prefix of all. */
final class LookupTransfer extends Operation<PrefixMatch> {
  private final long asked;
  private final long limit;
  private final List<BlockKeys> keys;
  private final List<Answer> answers = new ArrayList<>();
  private List<Answer> kept = List.of();
  private long usable;

  /** A lease and the chain indices of the blocks that are there. */
  private record Answer(Part part, Held held, BitSet found, boolean leased) {}

  /**
   * Creates a lookup.
   *
   * @param asked tokens of the request
   * @param limit the longest prefix of interest, a multiple of the layout's step
   * @param keys by part
   */
  LookupTransfer(Request request, Deadline deadline, long asked, long limit, List<BlockKeys> keys) {
    super(request, deadline);
    this.asked = asked;
    this.limit = limit;
    this.keys = keys;
  }

  @Override
  void start() {
    for (Part part : machinery.layout.parts()) {
      machinery.loads.submit(() -> ask(part));
    }
  }

  private void ask(Part part) {
    if (!handOver(null)) {
      batchDone();
      return;
    }
    Answer[] answer = new Answer[1];
    BlockStatus failure =
        machinery.calls.run(
            "lookup of " + keys.get(part.index()),
            machinery.loads,
            epoch,
            deadline,
            store -> {
              answer[0] = ask(part, store);
              return true;
            });
    if (failure != null) {
      refuse(failure);
    } else if (!keep(answer[0])) {
      answer[0].held.releaseHere();
    }
    batchDone();
  }

  private Answer ask(Part part, NamespaceStore store) throws StoreException {
    BlockKeys asked = keys.get(part.index());
    BlockLease lease = store.lookup(asked, deadline);
    Held held = new Held(machinery, epoch, java.util.Objects.requireNonNull(lease, "no lease"));
    boolean read = false;
    try {
      BitSet found = new BitSet(asked.count());
      boolean failed = machinery.failed.any();
      for (int i = 0; i < asked.count(); i++) {
        if (lease.present(i) && !(failed && machinery.failed.contains(asked, i))) {
          found.set(asked.firstBlock() + i);
        }
      }
      Answer answer = new Answer(part, held, found, lease.held());
      read = true;
      return answer;
    } finally {
      if (!read) {
        held.releaseHere();
      }
    }
  }

  /** {@return false if the answer came too late} */
  private synchronized boolean keep(Answer answer) {
    if (refused() != null) {
      return false;
    }
    answers.add(answer);
    return true;
  }

  @Override
  PrefixMatch conclude(BlockStatus rest) {
    if (refused() != null) {
      return PrefixMatch.none(request.id(), rest);
    }
    kept =
        answers.stream().sorted(java.util.Comparator.comparingInt(a -> a.part().index())).toList();
    usable = kept.isEmpty() ? 0 : machinery.layout.usable(limit, found());
    boolean leased = usable > 0 && kept.stream().allMatch(Answer::leased);
    return new PrefixMatch(request.id(), Math.toIntExact(usable), leased, BlockStatus.OK);
  }

  private List<BitSet> found() {
    return kept.stream().map(Answer::found).toList();
  }

  @Override
  void ended(PrefixMatch match) {
    if (usable > 0) {
      request.matched(new Match(usable, kept.stream().map(Answer::held).toList()), found());
    } else {
      List<Answer> all;
      synchronized (this) {
        all = List.copyOf(answers);
      }
      all.forEach(a -> a.held.release());
    }
    long nanos = System.nanoTime() - begun;
    machinery.listeners.tell(l -> l.lookedUp((int) asked, match.tokens(), match.status(), nanos));
  }

  @Override
  Completion completion(PrefixMatch match) {
    return new Completion.Lookup(id(), request.id(), match);
  }
}
