package io.kvasir.core.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.Fence;
import io.kvasir.api.KvRequest;
import io.kvasir.api.KvasirException;
import io.kvasir.api.LoadResult;
import io.kvasir.api.MetricsListener;
import io.kvasir.api.PagedBlocks;
import io.kvasir.api.PrefixMatch;
import io.kvasir.api.SaveResult;
import io.kvasir.api.Transfer;
import io.kvasir.api.WeightUpdate;
import io.kvasir.api.identity.BlockHasher;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.identity.IdentityPolicy;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.identity.RequestScope;
import io.kvasir.api.identity.Weights;
import io.kvasir.api.store.StoreException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** After the fence nothing old is served, loaded or saved; names of updates never mix. */
final class WeightUpdateTest {
  private static final Weights STEP_1 = Weights.full("run-a", "step-1");
  private final ScriptedStore store = new ScriptedStore();
  private final Gate gate = new Gate();

  private static void update(Connector connector, Weights weights) {
    try (WeightUpdate update = connector.beginWeightUpdate(Bench.soon())) {
      update.commit(weights);
    }
  }

  private static int found(Connector connector, int blocks) {
    try (KvRequest request =
        connector.request(RequestScope.NONE, Bench.prompt(blocks * Bench.TOKENS + 1))) {
      return Bench.lookup(request).tokens() / Bench.TOKENS;
    }
  }

  @Test
  void aRequestThatOutlivesAnUpdateLeavesNoBlockOfItsSuffixUnderAnyName() {
    try (Connector connector = Bench.settings().open(store);
        KvRequest request = connector.request(RequestScope.NONE, Bench.prompt(16))) {
      assertEquals(4, request.save(Bench.memory(4, 1), Fence.none()).await(Bench.soon()).saved());
      update(connector, STEP_1);
      for (int t = 16; t < 32; t++) {
        request.append(1000 + t);
      }
      SaveResult late = request.save(Bench.memory(8, 1), Fence.none()).await(Bench.soon());
      assertEquals(
          Collections.nCopies(4, BlockStatus.MISMATCH), late.parts().getFirst().statuses());
      assertEquals(4, store.count(Bench.DEPLOYMENT));
      assertEquals(4, store.blocks.size(), "nothing of blocks 5 to 8 under any namespace");
      assertEquals(0, found(connector, 8), "old blocks are unreachable");
    }
  }

  @Test
  void blocksThatTheStoreHasNotGotWhenTheFenceFallsAreDropped() {
    try (Connector connector = Bench.settings().open(store);
        KvRequest request = connector.request(RequestScope.NONE, Bench.prompt(32))) {
      store.onSave = _ -> gate.pass();
      Transfer<SaveResult> save = request.save(Bench.memory(8, 1), Fence.none());
      gate.awaitArrivals(1);
      CompletableFuture<WeightUpdate> begun =
          CompletableFuture.supplyAsync(() -> connector.beginWeightUpdate(Bench.soon()));
      Bench.until("fenced", () -> isFenced(connector));
      gate.open();
      try (WeightUpdate update = begun.join()) {
        assertTrue(save.done(), "drained");
        List<BlockStatus> statuses = save.await(Bench.soon()).parts().getFirst().statuses();
        assertEquals(List.of(BlockStatus.OK, BlockStatus.OK), statuses.subList(0, 2));
        assertEquals(Collections.nCopies(6, BlockStatus.MISMATCH), statuses.subList(2, 8));
        update.commit(STEP_1);
      }
      assertEquals(2, store.blocks.size());
    }
  }

  private static boolean isFenced(Connector connector) {
    try (KvRequest probe = connector.request(RequestScope.NONE, Bench.prompt(9))) {
      return Bench.lookup(probe).status() == BlockStatus.MISMATCH;
    }
  }

  @Test
  void aLoadThatWasNotScatteredWhenTheFenceFellIsDiscarded() {
    try (Connector connector = Bench.settings().open(store)) {
      Bench.fill(connector, 4, 1);
      store.afterLoad = _ -> gate.pass();
      PagedBlocks memory = Bench.memory(4, 0);
      try (KvRequest request = connector.request(RequestScope.NONE, Bench.prompt(17))) {
        PrefixMatch match = Bench.lookup(request);
        Transfer<LoadResult> load = request.load(match, memory);
        gate.awaitArrivals(2);
        CompletableFuture<WeightUpdate> begun =
            CompletableFuture.supplyAsync(() -> connector.beginWeightUpdate(Bench.soon()));
        LoadResult result = load.await(Bench.soon());
        assertEquals(
            Collections.nCopies(4, BlockStatus.MISMATCH), result.parts().getFirst().statuses());
        assertEquals(0, result.tokens());
        gate.open();
        begun.join().close();
        Bench.until("returned", () -> connector.gauges().quarantinedFrames() == 0);
        for (int b = 0; b < 4; b++) {
          assertTrue(Bench.untouched(memory, b, 0));
        }
      }
    }
  }

  @Test
  void aLoadThatWaitsForAWorkerWhenTheFenceFallsReachesNoStore() {
    Bench.Settings settings = Bench.settings();
    settings.loadWorkers = 1;
    settings.batch = 4;
    settings.frames = 512L * Bench.BLOCK;
    try (Connector connector = settings.open(store)) {
      Bench.fill(connector, 4, 1);
      try (KvRequest one = connector.request(RequestScope.NONE, Bench.prompt(17));
          KvRequest two = connector.request(RequestScope.NONE, Bench.prompt(17))) {
        PrefixMatch first = Bench.lookup(one);
        PrefixMatch second = Bench.lookup(two);
        store.onLoad = _ -> gate.pass();
        Transfer<LoadResult> running = one.load(first, Bench.memory(4, 0));
        gate.awaitArrivals(1);
        Transfer<LoadResult> waiting = two.load(second, Bench.memory(4, 0));
        CompletableFuture<WeightUpdate> begun =
            CompletableFuture.supplyAsync(() -> connector.beginWeightUpdate(Bench.soon()));
        Bench.until("fenced", () -> running.done() && waiting.done());
        gate.open();
        begun.join().close();
      }
      Bench.until("nothing is lent", () -> connector.gauges().frames() == 0);
      assertEquals(1, store.loads.get());
    }
  }

  @Test
  void anOldRequestTouchesNoStore() {
    try (Connector connector = Bench.settings().open(store)) {
      Bench.fill(connector, 4, 1);
      try (KvRequest request = connector.request(RequestScope.NONE, Bench.prompt(17))) {
        PrefixMatch match = Bench.lookup(request);
        WeightUpdate update = connector.beginWeightUpdate(Bench.soon());
        int before = store.lookups.get() + store.loads.get() + store.saves.get();
        try (KvRequest during = connector.request(RequestScope.NONE, Bench.prompt(17))) {
          assertEquals(BlockStatus.MISMATCH, Bench.lookup(during).status());
        }
        update.commit(STEP_1);
        update.close();
        assertEquals(BlockStatus.MISMATCH, Bench.lookup(request).status());
        assertEquals(
            Collections.nCopies(4, BlockStatus.MISMATCH),
            request
                .load(match, Bench.memory(4, 0))
                .await(Bench.soon())
                .parts()
                .getFirst()
                .statuses());
        assertEquals(before, store.lookups.get() + store.loads.get() + store.saves.get());
      }
    }
  }

  @Test
  void whatDoesNotDrainByTheDeadlineIsAbandoned() {
    try (Connector connector = Bench.settings().open(store);
        KvRequest request = connector.request(RequestScope.NONE, Bench.prompt(8))) {
      store.onSave = _ -> gate.pass();
      Transfer<SaveResult> save = request.save(Bench.memory(2, 1), Fence.none());
      gate.awaitArrivals(1);
      try (WeightUpdate update = connector.beginWeightUpdate(Bench.in(50))) {
        assertTrue(save.done());
        assertEquals(
            List.of(BlockStatus.TIMEOUT, BlockStatus.TIMEOUT),
            save.await(Bench.soon()).parts().getFirst().statuses());
        update.commit(STEP_1);
      }
      gate.open();
      Bench.until("returned", () -> connector.gauges().quarantinedFrames() == 0);
      assertEquals(0, store.count(connector.namespace()), "nothing old under the new name");
    }
  }

  @Test
  void twoRunsThatBothCallAnUpdateStep1ShareNothing() {
    try (Connector one = Bench.settings().open(store);
        Connector two = Bench.settings().open(store)) {
      update(one, Weights.full("run-a", "step-1"));
      update(two, Weights.full("run-b", "step-1"));
      Bench.fill(one, 4, 1);
      assertEquals(4, found(one, 4));
      assertEquals(0, found(two, 4));
    }
  }

  @Test
  void aReplicaThatJoinsLateSharesAndRecordsWhatItSupersedes() {
    try (Connector one = Bench.settings().open(store)) {
      update(one, Weights.full("run-a", "step-1"));
      update(one, Weights.full("run-a", "step-2"));
      Bench.fill(one, 4, 1);
      NamespaceManifest late =
          NamespaceManifest.of("acme", Weights.full("run-a", "step-2"), Bench.DEPLOYMENT.format());
      try (Connector two = Bench.settings().open(store, late)) {
        assertEquals(4, found(two, 4));
      }
      assertEquals(
          NamespaceManifest.of("acme", STEP_1, Bench.DEPLOYMENT.format()).id(),
          one.namespace().supersedes().orElseThrow());
    }
  }

  @Test
  void theStateInForceAgainChangesNoNamespace() {
    try (Connector connector = Bench.settings().open(store)) {
      List<String> changes = new ArrayList<>();
      connector.listen(
          new MetricsListener() {
            @Override
            public void namespaceChanged(String from, String to) {
              changes.add(to);
            }
          });
      update(connector, STEP_1);
      Bench.fill(connector, 4, 1);
      NamespaceManifest before = connector.namespace();
      update(connector, Weights.full("run-a", "step-1"));
      assertEquals(before, connector.namespace());
      assertEquals(List.of(before.id().hex()), changes);
      assertEquals(4, found(connector, 4));
    }
  }

  @Test
  void anUpdateWithoutACommitLeavesTheWeightsUnknown() {
    try (Connector connector = Bench.settings().open(store)) {
      Bench.fill(connector, 4, 1);
      connector.beginWeightUpdate(Bench.soon()).close();
      assertTrue(connector.namespace().weights() instanceof Weights.Unknown);
      assertEquals(0, found(connector, 4));
    }
  }

  @Test
  void theSameUpdateWithAnotherContentIsRefused() {
    try (Connector connector = Bench.settings().open(store)) {
      update(connector, STEP_1);
      try (WeightUpdate update = connector.beginWeightUpdate(Bench.soon())) {
        Weights other = Weights.delta(STEP_1, "run-a", "step-1");
        KvasirException e = assertThrows(KvasirException.class, () -> update.commit(other));
        assertEquals(
            "weights update run-a/step-1 was committed before as {kind=full, run=run-a,"
                + " update=step-1} and is now {kind=delta, previous="
                + STEP_1.hexId()
                + ", run=run-a, update=step-1}; give it another name",
            e.getMessage());
      }
      assertTrue(connector.namespace().weights() instanceof Weights.Unknown);
    }
  }

  @Test
  void aDeltaToAnotherStateThanTheOneInForceIsRefused() {
    try (Connector connector = Bench.settings().open(store);
        WeightUpdate update = connector.beginWeightUpdate(Bench.soon())) {
      Weights delta = Weights.delta(STEP_1, "run-a", "merge");
      KvasirException e = assertThrows(KvasirException.class, () -> update.commit(delta));
      assertEquals(
          "weights.previous: %s is not the state in force, %s; give Weights.delta(namespace().weights(), …)"
              .formatted(STEP_1.hexId(), Bench.BASE.hexId()),
          e.getMessage());
      Weights right = Weights.delta(Bench.BASE, "run-a", "merge-2");
      update.commit(right);
      assertEquals(right, connector.namespace().weights());
    }
  }

  @Test
  void aSecondUpdateAtOnceAndAnUpdateThatIsOverAreRefused() {
    try (Connector connector = Bench.settings().open(store)) {
      WeightUpdate update = connector.beginWeightUpdate(Bench.soon());
      assertEquals(
          "a weight update is in progress; commit or close it first",
          assertThrows(KvasirException.class, () -> connector.beginWeightUpdate(Bench.soon()))
              .getMessage());
      update.commit(STEP_1);
      assertEquals(
          "the weight update is over; begin another",
          assertThrows(KvasirException.class, () -> update.commit(STEP_1)).getMessage());
      update.close();
      assertEquals(STEP_1, connector.namespace().weights());
    }
  }

  @Test
  void aNamespaceThatCannotBeOpenedAtTheCommitIsOpenedLater() {
    try (Connector connector = Bench.settings().open(store)) {
      store.onOpen =
          _ -> {
            throw new StoreException(StoreException.Kind.UNAVAILABLE, "not now");
          };
      update(connector, STEP_1);
      try (KvRequest request = connector.request(RequestScope.NONE, Bench.prompt(9))) {
        assertEquals(BlockStatus.IO, Bench.lookup(request).status());
      }
      store.onOpen = _ -> {};
      Bench.until("probed", () -> Bench.fill(connector, 4, 1).complete());
      assertEquals(4, found(connector, 4));
      assertEquals(4, store.count(connector.namespace()));
    }
  }

  @Test
  void aPolicyThatCannotTellTheNewWeightsFromTheOldServesNothing() {
    IdentityPolicy blind =
        new IdentityPolicy() {
          @Override
          public String name() {
            return "blind";
          }

          @Override
          public IdentityPolicy configured(Map<String, Object> settings) {
            return this;
          }

          @Override
          public NamespaceManifest namespace(NamespaceManifest deployment) {
            return deployment.reduced("blind", Map.of("tenant", deployment.tenant()));
          }

          @Override
          public BlockHasher hasher(NamespaceManifest namespace, RequestScope scope) {
            return Bench.STRICT.hasher(namespace, scope);
          }

          @Override
          public String key(BlockKeys keys, int block) {
            return keys.flatKey(block);
          }
        };
    try (Connector connector =
        Connector.open(Bench.settings().build(), store, Bench.DEPLOYMENT, blind, true)) {
      Bench.fill(connector, 4, 1);
      assertEquals(4, found(connector, 4));
      for (int i = 0; i < 2; i++) { // the second time it is the state in force
        update(connector, STEP_1);
        try (KvRequest request = connector.request(RequestScope.NONE, Bench.prompt(17))) {
          assertEquals(PrefixMatch.none(request.id(), BlockStatus.MISMATCH), Bench.lookup(request));
        }
      }
      update(connector, Bench.BASE);
      assertEquals(4, found(connector, 4), "the weights that the blocks are of");
    }
  }

  @Test
  void oldNamespacesAreClosedOnceNobodyIsInThem() {
    try (Connector connector = Bench.settings().open(store)) {
      KvRequest old = connector.request(RequestScope.NONE, Bench.prompt(9));
      update(connector, STEP_1);
      assertEquals(2, store.openViews.get());
      old.close();
      Bench.until("closed", () -> store.openViews.get() == 1);
      assertNotEquals(Bench.DEPLOYMENT, connector.namespace());
    }
  }
}
