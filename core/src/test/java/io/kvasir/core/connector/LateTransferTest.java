package io.kvasir.core.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.api.BlockMemory;
import io.kvasir.api.BlockStatus;
import io.kvasir.api.Deadline;
import io.kvasir.api.Fence;
import io.kvasir.api.KvRequest;
import io.kvasir.api.LoadResult;
import io.kvasir.api.PagedBlocks;
import io.kvasir.api.PrefixMatch;
import io.kvasir.api.SaveResult;
import io.kvasir.api.Transfer;
import io.kvasir.api.identity.RequestScope;
import io.kvasir.api.store.TransferPath;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Whatever the store does, memory that the engine has back is neither written nor read. */
final class LateTransferTest {
  private static final int CANARY = 0x5a;
  private final ScriptedStore store = new ScriptedStore();
  private final Gate gate = new Gate();

  @Test
  void aLoadThatComesBackAfterACancelDoesNotTouchTheMemory() {
    try (Connector connector = Bench.settings().open(store)) {
      Bench.fill(connector, 4, 1);
      store.afterLoad = _ -> gate.pass();
      PagedBlocks memory = Bench.memory(4, 0);
      try (KvRequest request = connector.request(RequestScope.NONE, Bench.prompt(17))) {
        PrefixMatch match = Bench.lookup(request);
        Transfer<LoadResult> load = request.load(match, memory);
        gate.awaitArrivals(2);
        load.cancel();
        assertTrue(load.done(), "the engine has its memory back at once");
        LoadResult result = load.await(Bench.soon());
        assertEquals(0, result.tokens());
        assertEquals(
            Collections.nCopies(4, BlockStatus.CANCELLED), result.parts().getFirst().statuses());
        assertEquals(4, connector.gauges().quarantinedFrames());
        assertEquals(0, connector.gauges().frames());
        Bench.segment(memory).fill((byte) CANARY);
        gate.open();
        Bench.until("returned", () -> connector.gauges().quarantinedFrames() == 0);
        for (int b = 0; b < 4; b++) {
          assertTrue(Bench.untouched(memory, b, CANARY), "block " + b);
        }
      }
    }
  }

  @Test
  void framesThatTheStoreRetainsGoToNobodyUntilItLetsThemGo() {
    try (Connector connector = Bench.settings().open(store)) {
      Bench.fill(connector, 4, 1);
      Queue<Runnable> ends = new ConcurrentLinkedQueue<>();
      store.onLoad =
          blocks -> {
            ends.add(blocks.retain());
            blocks.setRest(BlockStatus.TIMEOUT, null); // as at a deadline: it returns
          };
      try (KvRequest request = connector.request(RequestScope.NONE, Bench.prompt(17))) {
        PrefixMatch match = Bench.lookup(request);
        LoadResult result = request.load(match, Bench.memory(4, CANARY)).await(Bench.soon());
        assertEquals(0, result.tokens());
        Bench.until("quarantined", () -> connector.gauges().quarantinedFrames() == 4);
        assertEquals(0, connector.gauges().frames());
      }
      ends.forEach(Runnable::run);
      ends.forEach(Runnable::run);
      assertEquals(0, connector.gauges().quarantinedFrames());
      Bench.until("idle", () -> connector.gauges().idle());
    }
  }

  @Test
  void aBlackHoleGivesTheMemoryBackAtTheDeadline() {
    Bench.Settings settings = Bench.settings();
    settings.load = Duration.ofMinutes(1); // no other deadline ends it
    try (Connector connector = settings.open(store)) {
      Bench.fill(connector, 4, 1);
      store.onLoad = _ -> gate.pass();
      PagedBlocks memory = Bench.memory(4, CANARY);
      try (KvRequest request = connector.request(RequestScope.NONE, Bench.prompt(17))) {
        PrefixMatch match = Bench.lookup(request);
        Transfer<LoadResult> load = request.load(match, memory, Bench.in(100));
        Bench.until("ended by itself", load::done);
        LoadResult result = load.await(Bench.soon());
        assertEquals(
            Collections.nCopies(4, BlockStatus.TIMEOUT), result.parts().getFirst().statuses());
        assertEquals(0, result.tokens());
      }
      gate.open();
      Bench.until("idle", () -> connector.gauges().idle());
    }
  }

  @Test
  void anAwaitedDeadlineEndsTheTransferToo() {
    try (Connector connector = Bench.settings().open(store)) {
      store.onLookup = _ -> gate.pass();
      try (KvRequest request = connector.request(RequestScope.NONE, Bench.prompt(17))) {
        Transfer<PrefixMatch> lookup = request.lookup();
        gate.awaitArrivals(1); // or the store would not be asked at all
        assertEquals(
            PrefixMatch.none(request.id(), BlockStatus.TIMEOUT), lookup.await(Bench.in(50)));
      }
      assertTrue(connector.gauges().idle(), "whatever the store does");
      gate.open();
      Bench.until("the late lease was given", () -> store.given.get() == 1);
      Bench.until("and let go", () -> store.leases.get() == 0 && connector.gauges().idle());
    }
  }

  @Test
  void blocksOfACancelledSaveAreNotReadAnyMore() {
    try (Connector connector = Bench.settings().open(store)) {
      store.onSave = _ -> gate.pass();
      PagedBlocks memory = Bench.memory(8, 1);
      try (KvRequest request = connector.request(RequestScope.NONE, Bench.prompt(32))) {
        Transfer<SaveResult> save = request.save(memory, Fence.none());
        gate.awaitArrivals(1);
        save.cancel();
        // the next batch may just be gathered; the store, which hangs, is not waited for
        Bench.until("ended", save::done);
        Bench.segment(memory).fill((byte) CANARY);
        assertEquals(0, save.await(Bench.soon()).saved());
        gate.open();
        Bench.until("idle frames", () -> connector.gauges().quarantinedFrames() == 0);
      }
      Bench.until("idle", () -> connector.gauges().idle());
      assertEquals(2, store.blocks.size(), "what the store had already, and no more");
      assertTrue(
          store.blocks.values().stream().noneMatch(bytes -> bytes[0] == (byte) CANARY),
          "no byte that the engine wrote after it had its memory back");
    }
  }

  @Test
  void aSaveHoldsTheBlocksNoLongerThanItsLongestWait() {
    Bench.Settings settings = Bench.settings();
    settings.save = Duration.ofMillis(150);
    try (Connector connector = settings.open(store)) {
      store.onSave = _ -> gate.pass();
      try (KvRequest request = connector.request(RequestScope.NONE, Bench.prompt(32))) {
        Transfer<SaveResult> save = request.save(Bench.memory(8, 1), Fence.none());
        Bench.until("ended by itself", save::done);
        assertEquals(
            Collections.nCopies(8, BlockStatus.TIMEOUT),
            save.await(Bench.soon()).parts().getFirst().statuses());
      }
      gate.open();
      Bench.until("idle", () -> connector.gauges().idle());
    }
  }

  @Test
  void aCopyUnderWayIsTheOnlyThingThatACancelWaitsFor() throws InterruptedException {
    store.paths = List.of(new SlowPath(gate));
    try (Connector connector = Bench.settings().open(store)) {
      fillBySlowPath(connector);
      try (KvRequest request = connector.request(RequestScope.NONE, Bench.prompt(9))) {
        PrefixMatch match = Bench.lookup(request);
        Transfer<LoadResult> load = request.load(match, Bench.memory(2, 0));
        gate.awaitArrivals(1);
        load.cancel();
        Thread.sleep(50);
        assertFalse(load.done(), "the engine would have memory that is being written");
        gate.open();
        assertEquals(8, load.await(Bench.soon()).tokens(), "what was copied is there");
      }
    }
  }

  @Test
  void aGatherUnderWayIsTheOnlyThingThatACancelledSaveWaitsFor() throws InterruptedException {
    Gate inStore = new Gate();
    AtomicInteger gathers = new AtomicInteger();
    store.paths = List.of(new SlowGather(gate, gathers));
    store.onSave = _ -> inStore.pass();
    try (Connector connector = Bench.settings().open(store);
        KvRequest request = connector.request(RequestScope.NONE, Bench.prompt(32))) {
      Transfer<SaveResult> save = request.save(Bench.memory(8, 1), Fence.none());
      inStore.awaitArrivals(1);
      gate.awaitArrivals(1);
      save.cancel();
      Thread.sleep(50);
      assertFalse(save.done(), "the engine would write what is being read");
      gate.open();
      Bench.until("ended, whatever the store does", save::done);
      int until = gathers.get();
      inStore.open();
      Bench.until("quarantined no more", () -> connector.gauges().quarantinedFrames() == 0);
      assertEquals(until, gathers.get(), "blocks that were gathered once the engine had them back");
    }
  }

  private void fillBySlowPath(Connector connector) {
    assertEquals(2, Bench.fill(connector, 2, 1).saved());
  }

  /** Copies like the host's path, and its gathers wait from block 2 on: the second batch. */
  private record SlowGather(Gate gate, AtomicInteger gathers, HostPath host)
      implements TransferPath {
    SlowGather(Gate gate, AtomicInteger gathers) {
      this(gate, gathers, new HostPath());
    }

    @Override
    public boolean accepts(BlockMemory memory) {
      return host.accepts(memory);
    }

    @Override
    public void gather(
        BlockMemory from, int first, List<MemorySegment> payloads, Fence ready, Deadline deadline)
        throws io.kvasir.api.store.StoreException {
      if (first >= 2) {
        try {
          gate.pass();
        } catch (InterruptedException e) {
          throw new AssertionError(e);
        }
      }
      gathers.incrementAndGet();
      host.gather(from, first, payloads, ready, deadline);
    }

    @Override
    public void scatter(
        List<MemorySegment> payloads, BlockMemory to, int first, Deadline deadline) {
      host.scatter(payloads, to, first, deadline);
    }
  }

  /** Copies like the host's path, and its scatter waits. */
  private record SlowPath(Gate gate, HostPath host) implements TransferPath {
    SlowPath(Gate gate) {
      this(gate, new HostPath());
    }

    @Override
    public boolean accepts(BlockMemory memory) {
      return host.accepts(memory);
    }

    @Override
    public void gather(
        BlockMemory from, int first, List<MemorySegment> payloads, Fence ready, Deadline deadline)
        throws io.kvasir.api.store.StoreException {
      host.gather(from, first, payloads, ready, deadline);
    }

    @Override
    public void scatter(
        List<MemorySegment> payloads, BlockMemory to, int first, Deadline deadline) {
      try {
        gate.pass();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
      host.scatter(payloads, to, first, deadline);
    }
  }

  @Test
  void aFenceThatNeverComesReadsNothing() {
    Bench.Settings settings = Bench.settings();
    settings.save = Duration.ofMillis(100);
    try (Connector connector = settings.open(store);
        KvRequest request = connector.request(RequestScope.NONE, Bench.prompt(8))) {
      Fence never = Fence.when(deadline -> deadline.expired());
      Fence hangs =
          Fence.when(
              _ -> {
                gate.pass();
                return true;
              });
      assertEquals(
          List.of(BlockStatus.TIMEOUT, BlockStatus.TIMEOUT),
          request
              .save(Bench.memory(2, 1), never)
              .await(Bench.soon())
              .parts()
              .getFirst()
              .statuses());
      assertEquals(
          List.of(BlockStatus.TIMEOUT, BlockStatus.TIMEOUT),
          request
              .save(Bench.memory(2, 1), hangs)
              .await(Bench.soon())
              .parts()
              .getFirst()
              .statuses());
      assertEquals(0, store.saves.get());
    }
    try (Connector connector = Bench.settings().open(store);
        KvRequest request = connector.request(RequestScope.NONE, Bench.prompt(8))) {
      assertEquals(
          2, request.save(Bench.memory(2, 1), Fence.when(_ -> true)).await(Bench.soon()).saved());
    }
  }

  @Test
  void closingTheRequestCancelsAndClosingTheConnectorCloses() {
    Connector connector = Bench.settings().open(store);
    store.onLookup = _ -> gate.pass();
    KvRequest first = connector.request(RequestScope.NONE, Bench.prompt(9));
    Transfer<PrefixMatch> cancelled = first.lookup();
    KvRequest second = connector.request(RequestScope.NONE, Bench.prompt(9));
    Transfer<PrefixMatch> closed = second.lookup();
    gate.awaitArrivals(2);
    first.close();
    assertEquals(BlockStatus.CANCELLED, cancelled.await(Bench.soon()).status());
    Thread closing = Thread.startVirtualThread(connector::close);
    assertEquals(BlockStatus.CLOSED, closed.await(Bench.soon()).status());
    gate.open();
    Bench.until("closed", () -> !closing.isAlive());
    assertEquals(0, store.leases.get());
    assertTrue(connector.gauges().idle(), () -> connector.gauges().toString());
  }
}
