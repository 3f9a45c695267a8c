package io.kvasir.core.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.Fence;
import io.kvasir.api.KvRequest;
import io.kvasir.api.LoadResult;
import io.kvasir.api.MetricsListener;
import io.kvasir.api.PrefixMatch;
import io.kvasir.api.SaveResult;
import io.kvasir.api.Transfer;
import io.kvasir.api.identity.RequestScope;
import io.kvasir.api.store.StoreException;
import io.kvasir.api.store.StoreHealth;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Whatever a store does, an engine sees statuses, in time. */
final class GuardTest {
  private final ScriptedStore store = new ScriptedStore();
  private final Gate gate = new Gate();

  private static BlockStatus lookup(Connector connector) {
    try (KvRequest request = connector.request(RequestScope.NONE, Bench.prompt(17))) {
      return Bench.lookup(request).status();
    }
  }

  @SuppressWarnings("InfiniteRecursion") // a store's mistake
  private static int overflow(int depth) {
    return overflow(depth + 1) + 1;
  }

  @Test
  void aStoreThatThrowsAtEveryThirdCallCostsThoseCallsAndNoWorker() {
    Bench.Settings settings = Bench.settings();
    settings.batch = 1;
    AtomicInteger calls = new AtomicInteger();
    List<Throwable> kinds =
        List.of(new IllegalStateException("state"), new OutOfMemoryError("not really"));
    store.onSave =
        _ -> {
          int call = calls.incrementAndGet();
          if (call % 9 == 0) {
            overflow(0);
          } else if (call % 3 == 0 && kinds.get(call % 2) instanceof RuntimeException e) {
            throw e;
          } else if (call % 3 == 0) {
            throw (Error) kinds.get(1);
          }
        };
    try (Connector connector = settings.open(store)) {
      int saved = 0;
      for (int round = 0; round < 30; round++) {
        RequestScope scope = RequestScope.salted("round " + round);
        try (KvRequest request = connector.request(scope, Bench.prompt(12))) {
          SaveResult result = request.save(Bench.memory(3, 1), Fence.none()).await(Bench.soon());
          for (BlockStatus status : result.parts().getFirst().statuses()) {
            assertTrue(status == BlockStatus.OK || status == BlockStatus.IO, status.name());
          }
          saved += result.saved();
        }
      }
      assertEquals(60, saved, "two of three, all the time");
      assertEquals(StoreHealth.State.DEGRADED, connector.health().state());
      store.onSave = _ -> {};
      assertEquals(12, Bench.fill(connector, 12, 1).saved(), "throughput recovers");
      assertEquals(4, workers());
    }
  }

  /** {@return the workers of the connectors of this JVM} */
  private static long workers() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(t -> t.getName().matches("kvasir-(load|save)-[0-9]+"))
        .count();
  }

  @Test
  void theBreakerOpensOnFailuresInARowAndAProbeClosesIt() {
    try (Connector connector = Bench.settings().open(store)) {
      List<String> events = Collections.synchronizedList(new ArrayList<>());
      connector.listen(
          new MetricsListener() {
            @Override
            public void breaker(boolean open, String reason) {
              events.add(open + ": " + reason.replaceAll(" of .* failed: ", " failed: "));
            }
          });
      store.onLookup =
          _ -> {
            throw new StoreException(StoreException.Kind.UNAVAILABLE, "gone");
          };
      for (int i = 0; i < 3; i++) {
        assertEquals(BlockStatus.IO, lookup(connector));
      }
      int asked = store.lookups.get();
      assertEquals(3, asked);
      assertEquals(StoreHealth.State.DOWN, connector.health().state());
      assertEquals(BlockStatus.IO, lookup(connector));
      store.onLookup = _ -> {};
      Bench.until("closed", () -> lookup(connector) == BlockStatus.OK);
      assertEquals(
          List.of(
              "true: lookup failed: io.kvasir.api.store.StoreException: gone",
              "false: a probe succeeded"),
          events);
      assertEquals(StoreHealth.State.DEGRADED, connector.health().state());
    }
  }

  @Test
  void anErrorOfTheStoreIsAFailureLikeAnyOther() {
    Bench.Settings settings = Bench.settings();
    settings.breaker = Duration.ofMinutes(1);
    try (Connector connector = settings.open(store)) {
      store.onLookup = _ -> overflow(0);
      for (int i = 0; i < 3; i++) {
        assertEquals(BlockStatus.IO, lookup(connector));
      }
      assertEquals(StoreHealth.State.DOWN, connector.health().state());
    }
  }

  @Test
  void missesAndAFullStoreDoNotOpenTheBreaker() {
    Bench.Settings settings = Bench.settings();
    settings.breaker = Duration.ofMinutes(1);
    try (Connector connector = settings.open(store)) {
      store.onSave = blocks -> blocks.setRest(BlockStatus.CAPACITY, null);
      for (int i = 0; i < 6; i++) {
        SaveResult full = Bench.fill(connector, 2, 1);
        assertEquals(
            List.of(BlockStatus.CAPACITY, BlockStatus.CAPACITY),
            full.parts().getFirst().statuses());
        assertEquals(BlockStatus.OK, lookup(connector));
      }
      store.onLookup =
          _ -> {
            throw new StoreException(StoreException.Kind.CAPACITY, "no lease left");
          };
      for (int i = 0; i < 6; i++) {
        assertEquals(BlockStatus.CAPACITY, lookup(connector));
      }
      assertEquals(6 + 6, store.lookups.get());
      assertEquals(StoreHealth.State.UP, connector.health().state());
    }
  }

  @Test
  void framesInQuarantineBeyondAQuarterOpenTheBreakerUntilTheyComeBack() {
    Bench.Settings settings = Bench.settings();
    settings.frames = 8L * Bench.BLOCK;
    settings.failures = 1000;
    settings.breaker = Duration.ofMinutes(1);
    settings.loadWorkers = 4;
    try (Connector connector = settings.open(store)) {
      Bench.fill(connector, 4, 1);
      store.onLoad = _ -> gate.pass();
      try (KvRequest request = connector.request(RequestScope.NONE, Bench.prompt(17))) {
        PrefixMatch match = Bench.lookup(request);
        Transfer<LoadResult> load = request.load(match, Bench.memory(4, 0));
        gate.awaitArrivals(3);
        load.cancel();
        assertTrue(connector.gauges().quarantinedFrames() >= 3);
        StoreHealth health = connector.health();
        assertEquals(StoreHealth.State.DOWN, health.state());
        assertEquals(
            "the breaker is open, nothing is asked: calls that were given up hold more than a"
                + " quarter of the frames",
            health.detail());
        int asked = store.loads.get();
        assertEquals(
            Collections.nCopies(4, BlockStatus.IO),
            request
                .load(match, Bench.memory(4, 0))
                .await(Bench.soon())
                .parts()
                .getFirst()
                .statuses());
        assertEquals(asked, store.loads.get());
        gate.open();
        Bench.until("no quarantine", () -> connector.gauges().quarantinedFrames() == 0);
        assertEquals(BlockStatus.OK, lookup(connector), "at once, not after the delay");
      }
    }
  }

  @Test
  void threadsThatDoNotComeBackAreReplacedUpToABound() {
    Bench.Settings settings = Bench.settings();
    settings.loadWorkers = 2;
    settings.stuckWorkers = 3;
    settings.failures = 1000;
    settings.breaker = Duration.ofMinutes(1);
    try (Connector connector = settings.open(store)) {
      store.onLookup = _ -> gate.pass();
      Bench.until(
          "three stuck",
          () -> {
            try (KvRequest request = connector.request(RequestScope.NONE, Bench.prompt(17))) {
              BlockStatus status = request.lookup(Bench.in(20)).await(Bench.soon()).status();
              assertEquals(BlockStatus.TIMEOUT, status);
            }
            return gate.arrived() >= 3;
          });
      Bench.until("the breaker knows", () -> connector.health().state() == StoreHealth.State.DOWN);
      assertTrue(workers() <= 2 + 2 + 3, () -> "threads: " + workers());
      assertEquals(BlockStatus.IO, lookup(connector));
      gate.open();
      Bench.until("as many as at first", () -> workers() == 4);
      Bench.until("idle", () -> connector.gauges().idle());
    }
  }

  @Test
  void aBlackHoleCostsARequestNoMoreThanItsDeadlineAndThenNothing() {
    Bench.Settings settings = Bench.settings();
    settings.lookup = Duration.ofMillis(50);
    settings.breaker = Duration.ofMinutes(1);
    try (Connector connector = settings.open(store)) {
      store.onLookup = _ -> gate.pass();
      int late = 0;
      int atOnce = 0;
      for (int i = 0; i < 300; i++) {
        try (KvRequest request = connector.request(RequestScope.NONE, Bench.prompt(9))) {
          Transfer<PrefixMatch> lookup = request.lookup();
          atOnce += lookup.done() ? 1 : 0;
          Bench.until("ended by itself", lookup::done);
          BlockStatus status = lookup.await(Bench.soon()).status();
          assertNotEquals(BlockStatus.OK, status);
          late += status == BlockStatus.TIMEOUT ? 1 : 0;
        }
      }
      assertTrue(late >= 1, "the store was asked");
      assertTrue(atOnce > 150, "most did not even wait for their deadline: " + atOnce);
      int workers = settings.loadWorkers + settings.stuckWorkers;
      assertTrue(store.lookups.get() <= workers, "asked " + store.lookups + " times");
      gate.open();
    }
  }

  @Test
  void aBlockWhoseLoadFailedIsNotAskedForAgainForAWhile() {
    Bench.Settings settings = Bench.settings();
    settings.failedLoad = Duration.ofMinutes(1);
    try (Connector connector = settings.open(store)) {
      Bench.fill(connector, 4, 1);
      store.onLoad =
          blocks -> {
            for (int i = 0; i < blocks.count(); i++) {
              if (blocks.keys().firstBlock() + i == 2) {
                blocks.set(i, BlockStatus.CORRUPT, new IllegalStateException("checksum"));
              }
            }
          };
      try (KvRequest request = connector.request(RequestScope.NONE, Bench.prompt(17))) {
        PrefixMatch match = Bench.lookup(request);
        LoadResult result = request.load(match, Bench.memory(4, 0)).await(Bench.soon());
        assertEquals(8, result.tokens());
        assertEquals(
            List.of(BlockStatus.OK, BlockStatus.OK, BlockStatus.CORRUPT, BlockStatus.OK),
            result.parts().getFirst().statuses());
        assertEquals(2, result.parts().getFirst().firstBad());
        store.onLoad = _ -> {};
        assertEquals(
            BlockStatus.MISS,
            request
                .load(match, Bench.memory(4, 0))
                .await(Bench.soon())
                .parts()
                .getFirst()
                .statuses()
                .get(2));
        assertEquals(8, Bench.lookup(request).tokens());
        assertEquals(
            1,
            request.save(Bench.memory(4, 1), Fence.none()).await(Bench.soon()).saved(),
            "the engine computed it, so it is saved again");
        assertEquals(16, Bench.lookup(request).tokens());
      }
    }
  }

  @Test
  void aStoreThatForgetsAStatusOrALeaseHasFailed() {
    try (Connector connector = Bench.settings().open(store)) {
      Bench.fill(connector, 4, 1);
      store.afterLoad = blocks -> blocks.set(0, null);
      try (KvRequest request = connector.request(RequestScope.NONE, Bench.prompt(17))) {
        LoadResult result =
            request.load(Bench.lookup(request), Bench.memory(4, 0)).await(Bench.soon());
        assertEquals(0, result.tokens());
        assertEquals(BlockStatus.IO, result.parts().getFirst().statuses().getFirst());
      }
    }
  }

  @Test
  void healthIsTheStoresOwnWhereNothingFailed() {
    try (Connector connector = Bench.settings().open(store)) {
      assertEquals(StoreHealth.up("in memory"), connector.health());
      store.health = new StoreHealth(StoreHealth.State.DEGRADED, "reads only");
      assertEquals("reads only", connector.health().detail());
      store.health = null;
      assertEquals(StoreHealth.State.DOWN, connector.health().state());
    }
  }
}
