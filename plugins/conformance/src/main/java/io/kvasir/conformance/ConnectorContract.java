package io.kvasir.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.Completion;
import io.kvasir.api.Deadline;
import io.kvasir.api.KvConnector;
import io.kvasir.api.KvRequest;
import io.kvasir.api.KvasirException;
import io.kvasir.api.LoadResult;
import io.kvasir.api.PrefixMatch;
import io.kvasir.api.SaveResult;
import io.kvasir.api.Transfer;
import io.kvasir.api.WeightUpdate;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.identity.RequestScope;
import io.kvasir.api.identity.Weights;
import io.kvasir.api.store.Store;
import io.kvasir.api.store.StoreException;
import io.kvasir.conformance.engine.CacheShape;
import io.kvasir.conformance.engine.EngineReport;
import io.kvasir.conformance.engine.NativeCache;
import io.kvasir.conformance.engine.PagedCache;
import io.kvasir.conformance.engine.PagedEngine;
import io.kvasir.conformance.engine.Workload;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What an engine relies on: R-CONN. Its tests give a store and a connector over it. */
@DisplayNameGeneration(RuleNames.class)
@Timeout(value = 60, unit = TimeUnit.SECONDS)
public abstract class ConnectorContract {
  private static final CacheShape SHAPE = CacheShape.small(64);
  private static final Weights WEIGHTS = Weights.named("toy", "release-1");
  private static final NamespaceManifest DEPLOYMENT =
      NamespaceManifest.of("team", WEIGHTS, SHAPE.format());

  private Store store;
  private KvConnector connector;
  private PagedCache cache;

  /** {@return a new, empty store with room for a few hundred blocks of 256 bytes} */
  protected abstract Store store() throws StoreException;

  /** {@return a connector over the store, whose deadlines are a second and more} */
  protected abstract KvConnector connect(Store store, NamespaceManifest deployment);

  /** {@return the engine's memory, whose rows all hold the canary} */
  protected PagedCache cache(CacheShape shape) {
    return new NativeCache(shape);
  }

  @BeforeEach
  final void open() throws StoreException {
    store = store();
    connector = connect(store, DEPLOYMENT);
    cache = cache(SHAPE);
  }

  @AfterEach
  final void close() throws StoreException {
    connector.close();
    store.close();
    cache.close();
  }

  private static Deadline soon() {
    return Deadline.after(Duration.ofSeconds(10));
  }

  private static int[] prompt(int document, int tokens) {
    int[] out = new int[tokens];
    for (int i = 0; i < tokens; i++) {
      out[i] = document * 1000 + i;
    }
    return out;
  }

  private static int[] rows(int first, int count) {
    return java.util.stream.IntStream.range(first, first + count).toArray();
  }

  /** Fills rows, saves a prompt of {@code blocks} blocks from them, and closes the request. */
  private SaveResult save(RequestScope scope, int document, int blocks) {
    for (int b = 0; b < blocks; b++) {
      cache.write(b, Payload.bytes(SHAPE.blockBytes(), document * 100L + b));
    }
    try (KvRequest request =
        connector.request(scope, prompt(document, blocks * SHAPE.blockTokens()))) {
      return request.save(cache.blocks(0, rows(0, blocks)), cache.fence()).await(soon());
    }
  }

  /** {@return the tokens that are found and loaded of a prompt of these blocks and one token} */
  private int load(RequestScope scope, int document, int blocks) {
    int[] tokens = prompt(document, blocks * SHAPE.blockTokens() + 1);
    try (KvRequest request = connector.request(scope, tokens)) {
      PrefixMatch match = request.lookup(soon()).await(soon());
      if (match.tokens() == 0) {
        return 0;
      }
      int found = match.tokens() / SHAPE.blockTokens();
      LoadResult result =
          request.load(match, cache.blocks(0, rows(32, found)), soon()).await(soon());
      for (int b = 0; b < result.tokens() / SHAPE.blockTokens(); b++) {
        byte[] right = Payload.bytes(SHAPE.blockBytes(), document * 100L + b);
        assertEquals(-1, java.util.Arrays.mismatch(right, cache.read(32 + b)), "block " + b);
      }
      return result.tokens();
    }
  }

  @Test
  @Rule("R-CONN-1")
  void savedPrefixIsFoundAndLoadsByteForByte() {
    assertTrue(save(RequestScope.NONE, 1, 6).complete());
    assertEquals(24, load(RequestScope.NONE, 1, 6));
    assertEquals(24, load(RequestScope.NONE, 1, 8));
    assertEquals(16, load(RequestScope.NONE, 1, 4));
    assertEquals(0, load(RequestScope.NONE, 2, 6));
    assertEquals(0, load(RequestScope.salted("other"), 1, 6));
  }

  @Test
  @Rule("R-CONN-2")
  void atLeastTheLastPromptTokenIsLeftToCompute() {
    save(RequestScope.NONE, 1, 4);
    try (KvRequest request = connector.request(RequestScope.NONE, prompt(1, 16))) {
      assertEquals(12, request.lookup(soon()).await(soon()).tokens());
    }
    for (int tokens = 1; tokens <= 4; tokens++) {
      try (KvRequest request = connector.request(RequestScope.NONE, prompt(1, tokens))) {
        PrefixMatch match = request.lookup(soon()).await(soon());
        assertEquals(0, match.tokens());
        assertEquals(BlockStatus.OK, match.status());
      }
    }
    idle();
  }

  @Test
  @Rule("R-CONN-3")
  void everyTransferHasOneResultByPollOrByAwait() {
    save(RequestScope.NONE, 1, 4);
    List<Completion> polled = new ArrayList<>();
    try (KvRequest request = connector.request(RequestScope.NONE, prompt(1, 17))) {
      Transfer<PrefixMatch> awaited = request.lookup(soon());
      assertEquals(16, awaited.await(soon()).tokens());
      assertThrows(IllegalStateException.class, () -> awaited.await(soon()));
      awaited.cancel();
      Transfer<PrefixMatch> left = request.lookup(soon());
      Deadline deadline = soon();
      while (polled.isEmpty() && !deadline.expired()) {
        connector.poll(polled::add);
        LockSupport.parkNanos(100_000);
      }
      assertEquals(List.of(left.id()), polled.stream().map(Completion::transferId).toList());
      assertTrue(left.done());
    }
    assertEquals(0, connector.poll(polled::add));
    idle();
  }

  @Test
  @Rule("R-CONN-4")
  void cancelledAndClosedTransfersStillHaveTheirResult() {
    save(RequestScope.NONE, 1, 8);
    List<Long> submitted = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      KvRequest request = connector.request(RequestScope.NONE, prompt(1, 33));
      Transfer<PrefixMatch> lookup = request.lookup(soon());
      submitted.add(lookup.id());
      if (i % 2 == 0) {
        lookup.cancel();
      }
      request.close();
      request.close();
    }
    List<Long> completed = new ArrayList<>();
    Deadline quiet = Deadline.after(Duration.ofSeconds(1));
    while (completed.size() < submitted.size() && !quiet.expired()) {
      boolean more = connector.poll(c -> completed.add(c.transferId())) > 0;
      if (more || connector.gauges().transfers() + connector.gauges().completions() > 0) {
        quiet = Deadline.after(Duration.ofSeconds(1)); // it knows of some that are to come
      }
      LockSupport.parkNanos(100_000);
    }
    submitted.sort(null);
    completed.sort(null);
    assertEquals(submitted, completed);
    idle();
  }

  /** lmdeploy#4917: after an update the old prefix is not used, nor saved under the new name. */
  @Test
  @Rule("R-CONN-5")
  void weightUpdateMakesOldBlocksUnreachableAndKeepsOldRequestsOut() {
    save(RequestScope.NONE, 1, 4);
    try (KvRequest old = connector.request(RequestScope.NONE, prompt(1, 17))) {
      try (WeightUpdate update = connector.beginWeightUpdate(soon())) {
        assertThrows(KvasirException.class, () -> connector.beginWeightUpdate(soon()));
        assertEquals(BlockStatus.MISMATCH, old.lookup(soon()).await(soon()).status());
        update.commit(Weights.full("run", "step-1"));
      }
      assertEquals(Weights.full("run", "step-1"), connector.namespace().weights());
      SaveResult late = old.save(cache.blocks(0, rows(0, 4)), cache.fence()).await(soon());
      assertEquals(0, late.saved());
      assertEquals(BlockStatus.MISMATCH, late.parts().getFirst().statuses().getFirst());
    }
    assertEquals(0, load(RequestScope.NONE, 1, 4));
    save(RequestScope.NONE, 1, 4);
    assertEquals(16, load(RequestScope.NONE, 1, 4));
    try (WeightUpdate update = connector.beginWeightUpdate(soon())) {
      update.commit(WEIGHTS);
    }
    assertEquals(16, load(RequestScope.NONE, 1, 4), "the first weights are in force again");
  }

  @Test
  @Rule("R-CONN-6")
  void updateWithoutACommitSharesWithNobody() {
    save(RequestScope.NONE, 1, 4);
    connector.beginWeightUpdate(soon()).close();
    assertTrue(connector.namespace().weights() instanceof Weights.Unknown);
    assertEquals(0, load(RequestScope.NONE, 1, 4));
    save(RequestScope.NONE, 1, 4);
    assertEquals(16, load(RequestScope.NONE, 1, 4), "what was computed since is as good as any");
    connector.beginWeightUpdate(soon()).close();
    assertEquals(0, load(RequestScope.NONE, 1, 4), "of another update that nobody committed");
  }

  @Test
  @Rule("R-CONN-7")
  void mistakesOfTheCallerThrowAtSubmit() {
    save(RequestScope.NONE, 1, 4);
    try (KvRequest one = connector.request(RequestScope.NONE, prompt(1, 17));
        KvRequest other = connector.request(RequestScope.NONE, prompt(1, 17))) {
      PrefixMatch match = one.lookup(soon()).await(soon());
      assertThrows(
          KvasirException.class,
          () -> other.load(match, cache.blocks(0, rows(32, 4)), soon()),
          "another request's match");
      assertThrows(
          KvasirException.class,
          () -> one.load(match, cache.blocks(0, rows(32, 3)), soon()),
          "memory of too few blocks");
    }
    assertThrows(KvasirException.class, () -> connector.request(RequestScope.NONE, -1));
    idle();
  }

  @Test
  @Rule("R-CONN-8")
  void closedConnectorRefusesRequestsAndStillDeliversWhatItOwes() {
    KvRequest request = connector.request(RequestScope.NONE, prompt(1, 17));
    Transfer<PrefixMatch> lookup = request.lookup(soon());
    connector.close();
    connector.close();
    List<Long> completed = new ArrayList<>();
    connector.poll(c -> completed.add(c.transferId()));
    assertEquals(List.of(lookup.id()), completed);
    assertThrows(KvasirException.class, () -> connector.request(RequestScope.NONE, 1, 2, 3));
    assertTrue(connector.gauges().idle(), () -> "" + connector.gauges());
  }

  @Test
  @Rule("R-CONN-9")
  void engineAtRandomSeesNoWrongByteAndLeavesNothing() {
    EngineReport report =
        PagedEngine.run(connector, cache, WEIGHTS, Workload.mixed(Seed.value(), 5_000));
    report.assertSound();
    assertFalse(report.saves().isEmpty());
  }

  /** vllm-ascend#15505: rank 0 says hit, and rank 5 has nothing. */
  @Test
  @Rule("R-CONN-10")
  void prefixIsAHitOnlyWhereEveryGroupAndEveryShardHasIt() throws StoreException {
    for (NamespaceManifest parts : List.of(SeveralParts.full(), SeveralParts.sliding())) {
      try (LackingStore lacking = new LackingStore(store());
          KvConnector several = connect(lacking, parts)) {
        new SeveralParts(several, lacking, parts).check();
      }
    }
  }

  private void idle() {
    Deadline deadline = soon();
    while (!connector.gauges().idle() && !deadline.expired()) {
      LockSupport.parkNanos(1_000_000);
    }
    assertTrue(connector.gauges().idle(), () -> "nothing runs, and yet " + connector.gauges());
  }
}
