package io.kvasir.conformance.engine;

import io.kvasir.api.Completion;
import io.kvasir.api.Deadline;
import io.kvasir.api.KvConnector;
import io.kvasir.api.LoadResult;
import io.kvasir.api.PagedBlocks;
import io.kvasir.api.PrefixMatch;
import io.kvasir.api.SaveResult;
import io.kvasir.api.Transfer;
import io.kvasir.api.WeightUpdate;
import io.kvasir.api.identity.RequestScope;
import io.kvasir.api.identity.Weights;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;

/**
 * A toy engine with a single-threaded step loop over a connector: a block table, chunked prefill,
 * preemption, aborts, rows that are used again at once, and weight updates in flight. It computes
 * each byte as a function of weights, scope, layer, head and tokens, and compares all that it
 * loads.
 */
public final class PagedEngine {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final KvConnector connector;
  private final PagedCache cache;
  private final Workload workload;
  private final SplittableRandom random;
  private final Tally tally = new Tally();
  private final Pages pages;
  private final List<Sequence> running = new ArrayList<>();
  private final ArrayDeque<Sequence> waiting = new ArrayDeque<>();
  private final Map<Long, Sequence> owners = new HashMap<>();
  private final EngineWeights weights;
  private WeightUpdate update;

  private PagedEngine(KvConnector connector, PagedCache cache, Weights weights, Workload workload) {
    this.connector = connector;
    this.cache = cache;
    this.workload = workload;
    this.random = new SplittableRandom(workload.seed());
    this.pages = new Pages(cache, tally);
    this.weights = new EngineWeights(weights, workload.seed());
  }

  /**
   * Runs an engine until the workload is done and all its transfers have ended.
   *
   * @param connector of a namespace with the format of the cache; stays open
   * @param weights those of the connector's namespace
   */
  public static EngineReport run(
      KvConnector connector, PagedCache cache, Weights weights, Workload workload) {
    return new PagedEngine(connector, cache, weights, workload).run();
  }

  private EngineReport run() {
    Thread me = Thread.currentThread();
    connector.onWakeup(() -> LockSupport.unpark(me));
    while (tally.operations < workload.operations()) {
      step();
    }
    endUpdate();
    waiting.clear();
    if (workload.abortPerMille() > 0) {
      running.forEach(this::abandon);
    }
    Deadline patience = Deadline.after(PATIENCE);
    while (!running.isEmpty() && !patience.expired()) {
      step();
    }
    pages.lookAtAll();
    Deadline quiet = Deadline.after(Duration.ofSeconds(5));
    while (!connector.gauges().idle() && !quiet.expired()) {
      LockSupport.parkNanos(100_000); // abandoned calls of the store come back
    }
    connector.poll(this::on);
    pages.lookAtAll();
    return tally.report(workload, owners.size(), connector.gauges());
  }

  private void step() {
    long before = tally.operations + tally.completions;
    boolean begin = tally.operations < workload.operations();
    if (begin && running.size() < workload.atOnce()) {
      running.add(waiting.isEmpty() ? draw() : waiting.remove());
    }
    if (begin && chance(workload.updatePerMille()) && update == null) {
      update = connector.beginWeightUpdate(Deadline.after(Duration.ofMillis(random.nextInt(20))));
      tally.operations++;
    } else if (update != null && chance(100)) {
      endUpdate();
    }
    for (Sequence sequence : List.copyOf(running)) {
      advance(sequence);
    }
    connector.poll(this::on);
    if (tally.operations + tally.completions == before) {
      LockSupport.parkNanos(200_000);
    }
  }

  private boolean chance(int perMille) {
    return random.nextInt(1000) < perMille;
  }

  private Sequence draw() {
    int document = random.nextInt(workload.documents());
    int shared = 1 + random.nextInt(10 * cache.shape().blockTokens());
    int own = random.nextInt(7);
    int decoded = random.nextInt(9);
    int[] tokens = new int[shared + own + decoded];
    for (int i = 0; i < tokens.length; i++) {
      tokens[i] = i < shared ? (document << 10) + i : random.nextInt(Integer.MAX_VALUE);
    }
    RequestScope scope =
        random.nextInt(3) == 0 ? RequestScope.salted("user " + document % 2) : RequestScope.NONE;
    return new Sequence(cache, scope, tokens, shared + own);
  }

  private void advance(Sequence s) {
    if (s.phase != Sequence.Phase.ENDING && s.phase != Sequence.Phase.NEW) {
      if (chance(workload.abortPerMille())) {
        tally.aborts++;
        abandon(s);
      } else if (chance(workload.preemptPerMille())) {
        tally.preemptions++;
        s.again = true;
        abandon(s);
      }
    }
    switch (s.phase) {
      case NEW -> begin(s);
      case FOUND -> admit(s);
      case RUNNING -> compute(s);
      case ENDING -> leave(s);
      case LOOKING, LOADING -> {} // a completion will come
    }
  }

  private void begin(Sequence s) {
    s.weights = weights.number();
    s.request = connector.request(s.scope, java.util.Arrays.copyOf(s.tokens, s.prompt));
    s.known = s.prompt;
    s.phase = Sequence.Phase.LOOKING;
    tally.requests++;
    tally.operations++;
    submitted(s, hasty() ? s.request.lookup(deadline()) : s.request.lookup());
  }

  private boolean hasty() {
    return workload.abortPerMille() > 0 && random.nextInt(4) == 0;
  }

  private Deadline deadline() {
    return Deadline.after(Duration.ofNanos(1000L << random.nextInt(16))); // 1 µs to 33 ms
  }

  private void admit(Sequence s) {
    int wanted = s.wanted(s.prompt);
    if (wanted > pages.free()) {
      if (running.stream().allMatch(r -> r.phase == Sequence.Phase.FOUND)) {
        abandon(s); // nobody runs who could make room
      }
      return;
    }
    s.take(pages, wanted);
    int blocks = s.match.tokens() / cache.shape().blockTokens();
    if (blocks == 0) {
      s.phase = Sequence.Phase.RUNNING;
      return;
    }
    s.phase = Sequence.Phase.LOADING;
    PagedBlocks memory = s.memory(0, blocks);
    boolean hasty = hasty();
    if (random.nextBoolean()) {
      Deadline deadline = hasty ? deadline() : Deadline.after(PATIENCE);
      submitted(s, s.request.loadAhead(s.match, memory, deadline));
    } else {
      submitted(
          s, hasty ? s.request.load(s.match, memory, deadline()) : s.request.load(s.match, memory));
    }
  }

  private void compute(Sequence s) {
    if (s.computed < s.prompt) {
      int chunk = 1 + random.nextInt(3 * cache.shape().blockTokens());
      s.compute(Math.min(s.prompt, s.computed + chunk), weights.number());
    } else if (s.computed < s.tokens.length && room(s)) {
      s.request.append(s.tokens[s.known++]);
      tally.operations++;
      s.compute(s.computed + 1, weights.number());
    } else {
      save(s, 0);
      end(s);
      return;
    }
    if (random.nextInt(3) == 0) {
      save(s, s.blocks() == 0 ? 0 : random.nextInt(s.blocks()) * random.nextInt(2));
    }
  }

  /** {@return whether there is a row for one more token} */
  private boolean room(Sequence s) {
    int wanted = s.wanted(s.computed + 1);
    if (wanted > pages.free()) {
      return false;
    }
    s.take(pages, wanted);
    return true;
  }

  private void save(Sequence s, int firstBlock) {
    if (s.blocks() > firstBlock) {
      submitted(s, s.request.save(s.memory(firstBlock, s.blocks()), cache.fence()));
    }
  }

  /** Ends a request when what it saves is saved. */
  private void end(Sequence s) {
    s.phase = Sequence.Phase.ENDING;
  }

  /** Ends a request now: one way or the other all that runs is cancelled. */
  private void abandon(Sequence s) {
    if (s.request != null) {
      if (random.nextBoolean()) {
        s.inFlight.values().forEach(Transfer::cancel);
        tally.operations += s.inFlight.size();
      } else {
        s.request.close();
        tally.operations++;
      }
    }
    s.phase = Sequence.Phase.ENDING;
  }

  /** The engine's memory is its own again once nothing is in flight: then, and at once. */
  private void leave(Sequence s) {
    if (!s.inFlight.isEmpty()) {
      return;
    }
    if (s.request != null) {
      s.verify(tally, "at its end");
      s.request.close();
      tally.operations++;
    }
    s.give(pages);
    running.remove(s);
    if (s.again) {
      waiting.add(new Sequence(cache, s.scope, s.tokens, s.prompt));
    }
  }

  private void submitted(Sequence s, Transfer<?> transfer) {
    tally.operations++;
    tally.transfers++;
    s.inFlight.put(transfer.id(), transfer);
    if (owners.put(transfer.id(), s) != null) {
      tally.failure("two transfers have the id " + transfer.id());
    }
    if (chance(workload.awaitPerMille())) {
      Object result = transfer.await(Deadline.after(Duration.ofMillis(random.nextInt(20))));
      arrived(transfer.id(), result);
    }
  }

  private void on(Completion completion) {
    switch (completion) {
      case Completion.Lookup c -> arrived(c.transferId(), c.match());
      case Completion.Load c -> arrived(c.transferId(), c.result());
      case Completion.Save c -> arrived(c.transferId(), c.result());
    }
  }

  private void arrived(long transfer, Object result) {
    Sequence s = owners.remove(transfer);
    tally.completions++;
    if (s == null) {
      tally.duplicates++;
      tally.failure("a result that nobody waits for: transfer " + transfer + ", " + result);
      return;
    }
    s.inFlight.remove(transfer);
    switch (result) {
      case PrefixMatch match -> found(s, match);
      case LoadResult loaded -> loaded(s, loaded);
      case SaveResult saved -> {
        Tally.count(tally.saves, saved.parts());
        tally.savedBlocks += saved.saved();
      }
      default -> tally.failure("transfer " + transfer + " brought " + result);
    }
  }

  private void found(Sequence s, PrefixMatch match) {
    tally.matchedTokens += match.tokens();
    if (match.tokens() >= s.prompt || match.tokens() % cache.shape().blockTokens() != 0) {
      tally.failure("a match of %d of %d tokens".formatted(match.tokens(), s.prompt));
    }
    if (s.phase == Sequence.Phase.LOOKING) {
      s.match = match;
      s.phase = Sequence.Phase.FOUND;
    }
  }

  private void loaded(Sequence s, LoadResult result) {
    Tally.count(tally.loads, result.parts());
    tally.loadedTokens += result.tokens();
    cache.await(result.arrival()); // also where the request was given up: its rows go on
    s.loaded(result.tokens());
    s.verify(tally, "loaded");
    if (s.phase == Sequence.Phase.LOADING) {
      s.phase = Sequence.Phase.RUNNING;
    }
  }

  private void endUpdate() {
    if (update != null) {
      weights.change(update, connector, random);
      update = null;
      tally.updates++;
      tally.operations++;
    }
  }
}
