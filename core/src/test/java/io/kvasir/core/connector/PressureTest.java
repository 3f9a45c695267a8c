package io.kvasir.core.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.Fence;
import io.kvasir.api.KvRequest;
import io.kvasir.api.LoadResult;
import io.kvasir.api.PagedBlocks;
import io.kvasir.api.PrefixMatch;
import io.kvasir.api.SaveResult;
import io.kvasir.api.Transfer;
import io.kvasir.api.identity.RequestScope;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Queues, order and overlap. */
final class PressureTest {
  private final ScriptedStore store = new ScriptedStore();
  private final Gate gate = new Gate();

  @Test
  void whatDoesNotFitTheQueueIsCapacityAtSubmitFromTheEndOfTheChain() {
    Bench.Settings settings = Bench.settings();
    settings.queue = 4L * Bench.BLOCK;
    try (Connector connector = settings.open(store);
        KvRequest request = connector.request(RequestScope.NONE, Bench.prompt(32))) {
      List<BlockStatus> statuses =
          request
              .save(Bench.memory(8, 1), Fence.none())
              .await(Bench.soon())
              .parts()
              .getFirst()
              .statuses();
      assertEquals(Collections.nCopies(4, BlockStatus.OK), statuses.subList(0, 4));
      assertEquals(Collections.nCopies(4, BlockStatus.CAPACITY), statuses.subList(4, 8));
      assertEquals(
          4,
          request.save(Bench.memory(8, 1), Fence.none()).await(Bench.soon()).saved(),
          "the next save takes the rest");
      assertEquals(8, store.blocks.size());
    }
  }

  @Test
  void aFullQueueIsCapacityAndNotAnException() {
    Bench.Settings settings = Bench.settings();
    settings.queue = 8L * Bench.BLOCK;
    try (Connector connector = settings.open(store);
        KvRequest request = connector.request(RequestScope.NONE, Bench.prompt(64));
        KvRequest other = connector.request(RequestScope.salted("b"), Bench.prompt(64))) {
      store.onSave = _ -> gate.pass();
      Transfer<SaveResult> first = request.save(Bench.memory(8, 1), Fence.none());
      gate.awaitArrivals(1);
      Bench.until("gathered", () -> connector.gauges().queuedBytes() == 4L * Bench.BLOCK);
      Transfer<SaveResult> second = other.save(Bench.memory(16, 1), Fence.none());
      assertTrue(connector.gauges().queuedBytes() <= 8L * Bench.BLOCK);
      gate.open();
      assertEquals(8, first.await(Bench.soon()).saved());
      assertEquals(4, second.await(Bench.soon()).saved());
      assertEquals(0, connector.gauges().queuedBytes());
    }
  }

  @Test
  void aRequestSavesABlockOnce() {
    try (Connector connector = Bench.settings().open(store);
        KvRequest request = connector.request(RequestScope.NONE, Bench.prompt(16))) {
      store.onSave = _ -> gate.pass();
      Transfer<SaveResult> first = request.save(Bench.memory(4, 1), Fence.none());
      gate.awaitArrivals(1);
      SaveResult second = request.save(Bench.memory(4, 1), Fence.none()).await(Bench.soon());
      assertTrue(second.parts().isEmpty() && second.complete(), "all are being saved");
      gate.open();
      assertEquals(4, first.await(Bench.soon()).saved());
      assertTrue(
          request.save(Bench.memory(4, 1), Fence.none()).await(Bench.soon()).parts().isEmpty());
      assertEquals(2, store.saves.get());
    }
    try (Connector connector = Bench.settings().open(store);
        KvRequest request = connector.request(RequestScope.NONE, Bench.prompt(21))) {
      assertEquals(16, Bench.lookup(request).tokens());
      assertEquals(
          List.of(new LoadResult.Part(0, 0, 4, List.of(BlockStatus.OK))),
          request.save(Bench.memory(5, 1), Fence.none()).await(Bench.soon()).parts(),
          "what a lookup found is not saved");
    }
  }

  @Test
  void theNextBatchIsGatheredWhileTheStoreWritesOne() {
    try (Connector connector = Bench.settings().open(store);
        KvRequest request = connector.request(RequestScope.NONE, Bench.prompt(32))) {
      store.onSave = _ -> gate.pass();
      PagedBlocks memory = Bench.memory(8, 1);
      Transfer<SaveResult> save = request.save(memory, Fence.none());
      gate.awaitArrivals(1);
      Bench.until("two batches in frames", () -> connector.gauges().frames() == 4);
      Bench.until("gathered", () -> connector.gauges().queuedBytes() == 4L * Bench.BLOCK);
      assertEquals(1, gate.arrived(), "and the store has one of them");
      gate.open();
      assertEquals(8, save.await(Bench.soon()).saved());
    }
  }

  @Test
  void parentsAreHandedToTheStoreBeforeChildrenAcrossSaves() {
    Bench.Settings settings = Bench.settings();
    settings.batch = 1;
    settings.saveWorkers = 4;
    try (Connector connector = settings.open(store);
        KvRequest request = connector.request(RequestScope.NONE, Bench.prompt(64))) {
      List<Transfer<SaveResult>> saves = new ArrayList<>();
      for (int blocks = 2; blocks <= 16; blocks += 2) {
        saves.add(request.save(Bench.memory(blocks, 1), Fence.none()));
      }
      saves.forEach(s -> assertEquals(2, s.await(Bench.soon()).saved()));
      assertEquals(
          IntStream.range(0, 16).mapToObj(b -> "save " + b).toList(), List.copyOf(store.order));
    }
  }

  @Test
  void loadsDoNotWaitForSaves() {
    try (Connector connector = Bench.settings().open(store)) {
      Bench.fill(connector, 4, 1);
      store.onSave = _ -> gate.pass();
      List<KvRequest> saving = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        KvRequest request = connector.request(RequestScope.salted("s" + i), Bench.prompt(64));
        saving.add(request);
        request.save(Bench.memory(16, 1), Fence.none());
      }
      gate.awaitArrivals(2);
      try (KvRequest request = connector.request(RequestScope.NONE, Bench.prompt(17))) {
        PrefixMatch match = Bench.lookup(request);
        assertEquals(16, request.load(match, Bench.memory(4, 0)).await(Bench.soon()).tokens());
      }
      gate.open();
      saving.forEach(KvRequest::close);
    }
  }

  @Test
  void loadsHaveFramesThatSavesCannotTake() {
    Bench.Settings settings = Bench.settings();
    settings.frames = 4L * Bench.BLOCK;
    settings.saveWorkers = 8;
    try (Connector connector = settings.open(store)) {
      Bench.fill(connector, 4, 1);
      store.onSave = _ -> gate.pass();
      List<KvRequest> saving = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        KvRequest request = connector.request(RequestScope.salted("s" + i), Bench.prompt(64));
        saving.add(request);
        request.save(Bench.memory(16, 1), Fence.none());
      }
      Bench.until("half of the frames", () -> connector.gauges().frames() == 2);
      try (KvRequest request = connector.request(RequestScope.NONE, Bench.prompt(17))) {
        PrefixMatch match = Bench.lookup(request);
        assertEquals(16, request.load(match, Bench.memory(4, 0)).await(Bench.soon()).tokens());
      }
      gate.open();
      saving.forEach(KvRequest::close);
      Bench.until("idle but for results", () -> connector.gauges().frames() == 0);
    }
  }

  @Test
  void aLoadLargerThanTheQueueIsTakenWhenNothingElseWaits() {
    try (Connector connector = Bench.settings().open(store)) {
      Bench.fill(connector, 8, 1);
    }
    Bench.Settings settings = Bench.settings();
    settings.queue = 4L * Bench.BLOCK;
    try (Connector connector = settings.open(store);
        KvRequest one = connector.request(RequestScope.NONE, Bench.prompt(33));
        KvRequest two = connector.request(RequestScope.NONE, Bench.prompt(33))) {
      PrefixMatch match = Bench.lookup(one);
      PrefixMatch other = Bench.lookup(two);
      store.onLoad = _ -> gate.pass();
      Transfer<LoadResult> first = one.load(match, Bench.memory(8, 0));
      gate.awaitArrivals(2);
      LoadResult refused = two.load(other, Bench.memory(8, 0)).await(Bench.soon());
      assertEquals(
          Collections.nCopies(8, BlockStatus.CAPACITY), refused.parts().getFirst().statuses());
      gate.open();
      assertEquals(32, first.await(Bench.soon()).tokens());
      assertEquals(0, connector.gauges().queuedBytes());
    }
  }

  @Test
  void aSaveThatWaitsTooLongForFramesEndsInTime() {
    Bench.Settings settings = Bench.settings();
    settings.frames = 4L * Bench.BLOCK;
    settings.save = Duration.ofMillis(200);
    settings.stuckWorkers = 0;
    settings.failures = 1000;
    try (Connector connector = settings.open(store);
        KvRequest one = connector.request(RequestScope.NONE, Bench.prompt(64));
        KvRequest two = connector.request(RequestScope.salted("b"), Bench.prompt(64))) {
      store.onSave = _ -> gate.pass();
      Transfer<SaveResult> first = one.save(Bench.memory(16, 1), Fence.none());
      gate.awaitArrivals(1);
      Transfer<SaveResult> second = two.save(Bench.memory(16, 1), Fence.none());
      assertEquals(0, first.await(Bench.soon()).saved());
      assertEquals(0, second.await(Bench.soon()).saved());
      gate.open();
      Bench.until("frames back", () -> connector.gauges().quarantinedFrames() == 0);
      assertEquals(0, connector.gauges().frames());
    }
  }
}
