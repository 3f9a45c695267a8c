package io.kvasir.core.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.api.Completion;
import io.kvasir.api.Fence;
import io.kvasir.api.KvRequest;
import io.kvasir.api.PrefixMatch;
import io.kvasir.api.SaveResult;
import io.kvasir.api.Transfer;
import io.kvasir.api.identity.RequestScope;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Exactly one completion per transfer, to one taker. */
final class CompletionTest {
  private final ScriptedStore store = new ScriptedStore();

  @Test
  void aTransferHasOneCompletionWhoeverCancelsAwaitsAndPolls() throws InterruptedException {
    long seed = 4930;
    int rounds = 2000;
    Map<Long, AtomicInteger> taken = new ConcurrentHashMap<>();
    ConcurrentLinkedQueue<Transfer<?>> made = new ConcurrentLinkedQueue<>();
    AtomicBoolean stop = new AtomicBoolean();
    try (Connector connector = Bench.settings().open(store)) {
      Bench.fill(connector, 4, 1);
      Thread poller =
          Thread.ofPlatform()
              .start(
                  () -> {
                    while (!stop.get()) {
                      connector.poll(c -> count(taken, c.transferId()));
                    }
                  });
      Thread canceller =
          Thread.ofPlatform()
              .start(
                  () -> {
                    SplittableRandom random = new SplittableRandom(seed + 1);
                    while (!stop.get()) {
                      Transfer<?> transfer = made.poll();
                      if (transfer != null && random.nextBoolean()) {
                        transfer.cancel();
                      }
                    }
                  });
      SplittableRandom random = new SplittableRandom(seed);
      List<Long> ids = new ArrayList<>();
      for (int i = 0; i < rounds; i++) {
        try (KvRequest request = connector.request(RequestScope.NONE, Bench.prompt(17))) {
          Transfer<?> transfer =
              random.nextBoolean()
                  ? request.lookup()
                  : request.save(Bench.memory(4, 1), Fence.none());
          ids.add(transfer.id());
          made.add(transfer);
          await(transfer, random.nextInt(4), taken);
        }
      }
      Bench.until("all taken, seed " + seed, () -> taken.size() == rounds);
      stop.set(true);
      poller.join();
      canceller.join();
      assertEquals(0, connector.poll(c -> count(taken, c.transferId())));
      ids.forEach(id -> assertEquals(1, taken.get(id).get(), "transfer " + id));
      Bench.until("idle", () -> connector.gauges().idle());
    }
  }

  private static void await(Transfer<?> transfer, int how, Map<Long, AtomicInteger> taken) {
    if (how == 0) {
      return;
    }
    try {
      var _ = transfer.await(Bench.in(how == 1 ? 0 : 5));
      count(taken, transfer.id());
    } catch (IllegalStateException e) {
      // poll had it
    }
  }

  private static void count(Map<Long, AtomicInteger> taken, long id) {
    taken.computeIfAbsent(id, _ -> new AtomicInteger()).incrementAndGet();
  }

  @Test
  void aResultThatWasTakenIsNotGivenAgain() {
    try (Connector connector = Bench.settings().open(store);
        KvRequest request = connector.request(RequestScope.NONE, Bench.prompt(17))) {
      Transfer<PrefixMatch> lookup = request.lookup();
      assertEquals(0, lookup.await(Bench.soon()).tokens());
      assertEquals(
          "the result of transfer %d was taken before; await or poll gives it once"
              .formatted(lookup.id()),
          assertThrows(IllegalStateException.class, () -> lookup.await(Bench.soon())).getMessage());
      assertEquals(0, connector.poll(c -> {}));
    }
  }

  @Test
  void pollAllocatesNothingWhenThereIsNothing() throws ReflectiveOperationException {
    try (Connector connector = Bench.settings().open(store)) {
      Consumer<Completion> consumer = c -> {};
      Object threads =
          Class.forName("java.lang.management.ManagementFactory")
              .getMethod("getThreadMXBean")
              .invoke(null);
      Method allocated = // the core does not require java.management, not even for a test
          Class.forName("com.sun.management.ThreadMXBean")
              .getMethod("getCurrentThreadAllocatedBytes");
      long least = Long.MAX_VALUE;
      for (int round = 0; round < 20; round++) {
        long before = (long) allocated.invoke(threads);
        for (int i = 0; i < 10_000; i++) {
          connector.poll(consumer);
        }
        least = Math.min(least, (long) allocated.invoke(threads) - before);
      }
      assertTrue(least < 1000, () -> "bytes of 10,000 polls");
    }
  }

  @Test
  void theWakeUpComesWithEachCompletionAndMayThrow() {
    try (Connector connector = Bench.settings().open(store);
        KvRequest request = connector.request(RequestScope.NONE, Bench.prompt(17))) {
      AtomicInteger woken = new AtomicInteger();
      connector.onWakeup(
          () -> {
            woken.incrementAndGet();
            throw new IllegalStateException("the engine's mistake");
          });
      Transfer<PrefixMatch> lookup = request.lookup();
      Bench.until("woken", () -> woken.get() == 1);
      Bench.until("there", () -> connector.poll(c -> {}) == 1);
      assertTrue(lookup.done());
    }
  }

  @Test
  void anInterruptGivesTheTransferUpAndStaysSet() throws InterruptedException {
    Gate gate = new Gate();
    store.onLookup = _ -> gate.pass();
    try (Connector connector = Bench.settings().open(store);
        KvRequest request = connector.request(RequestScope.NONE, Bench.prompt(17))) {
      AtomicBoolean interrupted = new AtomicBoolean();
      Transfer<PrefixMatch> lookup = request.lookup();
      gate.awaitArrivals(1);
      Thread engine =
          Thread.ofPlatform()
              .start(
                  () -> {
                    PrefixMatch match = lookup.await(Bench.soon());
                    interrupted.set(Thread.currentThread().isInterrupted() && match.tokens() == 0);
                  });
      engine.interrupt();
      engine.join();
      assertTrue(interrupted.get());
      gate.open();
    }
  }

  @Test
  void resultsThatWereAwaitedLateDoNotPileUp() {
    try (Connector connector = Bench.settings().open(store);
        KvRequest request = connector.request(RequestScope.NONE, Bench.prompt(1))) {
      for (int i = 0; i < 1000; i++) {
        Transfer<SaveResult> nothing = request.save(Bench.memory(1, 1), Fence.none());
        Bench.until("done", nothing::done);
        assertTrue(nothing.await(Bench.soon()).parts().isEmpty());
      }
      assertEquals(0, connector.gauges().completions());
      assertTrue(connector.waitingForPoll() < 300, () -> "" + connector.waitingForPoll());
    }
  }
}
