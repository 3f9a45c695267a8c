package io.kvasir.core.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.api.Arrival;
import io.kvasir.api.BlockMemory;
import io.kvasir.api.BlockStatus;
import io.kvasir.api.Deadline;
import io.kvasir.api.Fence;
import io.kvasir.api.KvRequest;
import io.kvasir.api.LoadResult;
import io.kvasir.api.PagedBlocks;
import io.kvasir.api.PrefixMatch;
import io.kvasir.api.Region;
import io.kvasir.api.SaveResult;
import io.kvasir.api.Transfer;
import io.kvasir.api.identity.RequestScope;
import io.kvasir.api.store.FrameSource;
import io.kvasir.api.store.Landing;
import io.kvasir.api.store.StoreException;
import io.kvasir.api.store.TransferPath;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Memory that the host cannot address, moved by a path of the store's. */
final class DevicePathTest {
  private final ScriptedStore store = new ScriptedStore();
  private final FakePath path = new FakePath();

  /** A device of which the path alone knows where its memory is. */
  private static final class FakePath implements TransferPath {
    final MemorySegment device = Arena.ofAuto().allocate(8L * Bench.BLOCK);
    final List<String> calls = Collections.synchronizedList(new ArrayList<>());
    final List<Later> landings = new CopyOnWriteArrayList<>();
    final Gate gathering = new Gate();
    volatile boolean landsLater = true;
    volatile Flaw flaw = Flaw.NONE;
    volatile StoreException failure;

    PagedBlocks memory(int blocks) {
      Region region = Region.device("fake:0", 1 << 20, device.byteSize());
      return new PagedBlocks(
          0,
          List.of(PagedBlocks.Plane.of(region, 0, Bench.BLOCK)),
          IntStream.range(0, blocks).toArray());
    }

    @Override
    public boolean accepts(BlockMemory memory) {
      return memory instanceof PagedBlocks paged
          && paged.planes().getFirst().region() instanceof Region.Device d
          && d.device().equals("fake:0");
    }

    @Override
    public void gather(
        BlockMemory from, int first, List<MemorySegment> payloads, Fence ready, Deadline deadline)
        throws StoreException {
      calls.add("gather %d+%d %s".formatted(first, payloads.size(), ready));
      fail();
      try {
        gathering.pass();
      } catch (InterruptedException e) {
        throw new StoreException(StoreException.Kind.IO, "interrupted", e);
      }
      for (int i = 0; i < payloads.size(); i++) {
        payloads.get(i).copyFrom(device.asSlice((long) (first + i) * Bench.BLOCK, Bench.BLOCK));
      }
    }

    @Override
    public void scatter(List<MemorySegment> payloads, BlockMemory to, int first, Deadline deadline)
        throws StoreException {
      calls.add("scatter %d+%d".formatted(first, payloads.size()));
      fail();
      for (int i = 0; i < payloads.size(); i++) {
        device.asSlice((long) (first + i) * Bench.BLOCK, Bench.BLOCK).copyFrom(payloads.get(i));
      }
    }

    @Override
    public Landing land(List<MemorySegment> payloads, BlockMemory to, int first, Deadline deadline)
        throws StoreException {
      scatter(payloads, to, first, deadline);
      if (!landsLater) {
        return Landing.DONE;
      }
      Later landing = new Later(first, flaw);
      landings.add(landing);
      return landing;
    }

    private void fail() throws StoreException {
      StoreException now = failure;
      if (now != null) {
        throw now;
      }
    }
  }

  /** How a landing breaks the rules. */
  private enum Flaw {
    NONE,
    TELLS_TWICE,
    THROWS
  }

  /** Is done when a test says so; its events are the plane and the first block. */
  private record Later(int first, Flaw flaw, CompletableFuture<Void> done) implements Landing {
    Later(int first, Flaw flaw) {
      this(first, flaw, new CompletableFuture<>());
    }

    @Override
    public List<Fence.Event> events(int plane) {
      return List.of(new Fence.Event(100 * plane + first));
    }

    @Override
    public void whenDone(Runnable action) {
      var _ = done.thenRun(action);
      switch (flaw) {
        case NONE -> {}
        case TELLS_TWICE -> {
          var _ = done.thenRun(action);
        }
        case THROWS -> throw new IllegalStateException("no thread to tell on");
      }
    }
  }

  private Connector open() {
    return open(true);
  }

  private Connector open(boolean atOnce) {
    if (atOnce) {
      path.gathering.open();
    }
    store.paths =
        List.of(new BrokenPath(), path); // asked in order; one that fails to answer does not accept
    Bench.Settings settings = Bench.settings();
    settings.batch = 4;
    settings.loadWorkers = 1;
    settings.frames = 512L * Bench.BLOCK;
    return settings.open(store);
  }

  /** Throws when asked. */
  private static final class BrokenPath implements TransferPath {
    @Override
    public boolean accepts(BlockMemory memory) {
      throw new UnsatisfiedLinkError("no driver");
    }

    @Override
    public void gather(
        BlockMemory from, int first, List<MemorySegment> to, Fence ready, Deadline deadline) {}

    @Override
    public void scatter(List<MemorySegment> from, BlockMemory to, int first, Deadline deadline) {}
  }

  @Test
  void aPathMovesWholeRunsAndWaitsForTheDevicesEvent() {
    try (Connector connector = open();
        KvRequest request = connector.request(RequestScope.NONE, Bench.prompt(33))) {
      path.device.fill((byte) 7);
      assertEquals(8, request.save(path.memory(8), Fence.event(42)).await(Bench.soon()).saved());
      assertEquals(
          List.of("gather 0+4 Event[handle=42]", "gather 4+4 Event[handle=42]"), path.calls);
      path.calls.clear();
      path.device.fill((byte) 0);
      store.onLoad =
          blocks -> {
            if (blocks.keys().firstBlock() == 4) {
              blocks.set(1, BlockStatus.MISS);
            }
          };
      PrefixMatch match = Bench.lookup(request);
      LoadResult result = request.load(match, path.memory(8)).await(Bench.soon());
      assertEquals(20, result.tokens());
      assertEquals(List.of("scatter 0+4", "scatter 4+1", "scatter 6+2"), path.calls);
      assertEquals(7, path.device.get(java.lang.foreign.ValueLayout.JAVA_BYTE, 0));
    }
  }

  @Test
  void aPathThatFailsEndsItsBlocksAndIsNoFailureOfTheStore() {
    try (Connector connector = open();
        KvRequest request = connector.request(RequestScope.NONE, Bench.prompt(33))) {
      path.failure = new StoreException(StoreException.Kind.TIMEOUT, "the event never came");
      for (int i = 0; i < 5; i++) {
        assertEquals(
            Collections.nCopies(8, BlockStatus.TIMEOUT),
            request
                .save(path.memory(8), Fence.event(42))
                .await(Bench.soon())
                .parts()
                .getFirst()
                .statuses());
      }
      assertEquals(0, store.saves.get());
      path.failure = null;
      assertTrue(request.save(path.memory(8), Fence.event(43)).await(Bench.soon()).complete());
    }
  }

  @Test
  void aGatherUnderWayHoldsACancelAndItsBlocksGoNowhere() throws InterruptedException {
    try (Connector connector = open(false);
        KvRequest request = connector.request(RequestScope.NONE, Bench.prompt(33))) {
      Transfer<SaveResult> save = request.save(path.memory(8), Fence.none());
      path.gathering.awaitArrivals(1);
      save.cancel();
      Thread.sleep(50);
      assertFalse(save.done(), "the engine would write what is being read");
      path.gathering.open();
      assertEquals(
          Collections.nCopies(8, BlockStatus.CANCELLED),
          save.await(Bench.soon()).parts().getFirst().statuses());
      Bench.until("frames back", () -> connector.gauges().frames() == 0);
      assertEquals(List.of("gather 0+4 READY"), path.calls, "and nothing was read after it");
      assertEquals(0, store.saves.get());
    }
  }

  @Test
  void aGatherThatWaitsForAWorkerWhenItsSaveIsCancelledReadsNothing() {
    path.gathering.open();
    store.paths = List.of(path);
    Gate saving = new Gate();
    store.onSave = _ -> saving.pass();
    Bench.Settings settings = Bench.settings();
    settings.batch = 4;
    settings.saveWorkers = 1;
    settings.frames = 512L * Bench.BLOCK;
    try (Connector connector = settings.open(store);
        KvRequest one = connector.request(RequestScope.NONE, Bench.prompt(16));
        KvRequest two = connector.request(RequestScope.salted("two"), Bench.prompt(16))) {
      Transfer<SaveResult> first = one.save(path.memory(4), Fence.none());
      saving.awaitArrivals(1);
      Transfer<SaveResult> second = two.save(path.memory(4), Fence.none());
      Bench.until("it has its frames", () -> connector.gauges().frames() == 8);
      second.cancel();
      assertTrue(second.done());
      saving.open();
      assertEquals(4, first.await(Bench.soon()).saved());
      Bench.until("frames back", () -> connector.gauges().frames() == 0);
      assertEquals(List.of("gather 0+4 READY"), path.calls);
    }
  }

  private PrefixMatch store(Connector connector, KvRequest request) {
    assertEquals(8, request.save(path.memory(8), Fence.none()).await(Bench.soon()).saved());
    Bench.until("frames back", () -> connector.gauges().frames() == 0);
    path.calls.clear();
    return Bench.lookup(request);
  }

  private static List<Fence.Event> events(long... handles) {
    return LongStream.of(handles).mapToObj(Fence.Event::new).toList();
  }

  @Test
  void aLoadAheadIsReportedWhileItsCopiesGoOnAndItsFramesAreLentToNobody() {
    try (Connector connector = open();
        KvRequest request = connector.request(RequestScope.NONE, Bench.prompt(33))) {
      PrefixMatch match = store(connector, request);
      LoadResult result =
          request.loadAhead(match, path.memory(8), Bench.soon()).await(Bench.soon());
      assertEquals(32, result.tokens());
      assertTrue(result.complete());
      assertEquals(events(0, 4), result.arrival().events(0, 0, 0));
      assertEquals(events(200, 204), result.arrival().events(0, 0, 2));
      assertEquals(events(), result.arrival().events(0, 1, 0), "another shard's");
      assertEquals(8, connector.gauges().frames());
      path.landings.get(1).done().complete(null);
      Bench.until("the second's are back", () -> connector.gauges().frames() == 4);
      path.landings.get(0).done().complete(null);
      Bench.until("all are back", () -> connector.gauges().frames() == 0);
    }
  }

  @Test
  void aLoadThatIsNotAheadIsReportedWhenItsBytesAreThere() {
    try (Connector connector = open();
        KvRequest request = connector.request(RequestScope.NONE, Bench.prompt(33))) {
      PrefixMatch match = store(connector, request);
      LoadResult result = request.load(match, path.memory(8)).await(Bench.soon());
      assertEquals(32, result.tokens());
      assertEquals(Arrival.NOW, result.arrival());
      assertEquals(List.of(), path.landings);
    }
  }

  @Test
  void aLoadAheadWhoseCopiesAreDoneOrWhoseMemoryIsTheHostsWaitsForNothing() {
    path.landsLater = false;
    try (Connector connector = open();
        KvRequest request = connector.request(RequestScope.NONE, Bench.prompt(33))) {
      PrefixMatch match = store(connector, request);
      LoadResult result =
          request.loadAhead(match, path.memory(8), Bench.soon()).await(Bench.soon());
      assertEquals(Arrival.NOW, result.arrival());
      result = request.loadAhead(match, Bench.memory(8, 0), Bench.soon()).await(Bench.soon());
      assertEquals(32, result.tokens());
      assertEquals(Arrival.NOW, result.arrival());
    }
  }

  @Test
  void aBlockThatFailedIsNotLoadedWhateverTheEventsOfTheOthersSay() {
    try (Connector connector = open();
        KvRequest request = connector.request(RequestScope.NONE, Bench.prompt(33))) {
      PrefixMatch match = store(connector, request);
      store.onLoad =
          blocks -> {
            if (blocks.keys().firstBlock() == 0) {
              blocks.set(1, BlockStatus.CORRUPT);
            }
          };
      LoadResult result =
          request.loadAhead(match, path.memory(8), Bench.soon()).await(Bench.soon());
      assertEquals(4, result.tokens());
      assertEquals(BlockStatus.CORRUPT, result.parts().getFirst().statuses().get(1));
      assertEquals(List.of("scatter 0+1", "scatter 2+2", "scatter 4+4"), path.calls);
      assertEquals(events(0, 2, 4), result.arrival().events(0, 0, 0));
      path.landings.get(0).done().complete(null);
      path.landings.get(2).done().complete(null);
      Bench.until("the second batch's are back", () -> connector.gauges().frames() == 4);
      path.landings.get(1).done().complete(null);
      Bench.until("all are back", () -> connector.gauges().frames() == 0);
    }
  }

  @Test
  void aLoadAheadThatIsGivenUpIsReportedOnceNothingIsCopied() throws InterruptedException {
    try (Connector connector = open();
        KvRequest request = connector.request(RequestScope.NONE, Bench.prompt(33))) {
      PrefixMatch match = store(connector, request);
      Gate second = new Gate();
      store.onLoad =
          blocks -> {
            if (blocks.keys().firstBlock() == 4) {
              second.pass();
            }
          };
      Transfer<LoadResult> load = request.loadAhead(match, path.memory(8), Bench.in(60_000));
      second.awaitArrivals(1); // the only worker
      assertEquals(1, path.landings.size());
      load.cancel();
      Thread.sleep(50);
      assertFalse(load.done(), "the engine would use what is being written");
      path.landings.getFirst().done().complete(null);
      Bench.until("ended, whatever the store does", load::done);
      LoadResult result = load.await(Bench.soon());
      assertEquals(16, result.tokens());
      assertEquals(BlockStatus.CANCELLED, result.parts().getFirst().statuses().get(4));
      assertEquals(Arrival.NOW, result.arrival(), "nothing is on its way");
      second.open();
      Bench.until("frames back", () -> connector.gauges().frames() == 0);
      assertEquals(1, path.landings.size(), "and nothing was ordered after it");
    }
  }

  @Test
  void closingWaitsForTheCopiesOfALoadThatWasNotReported() throws InterruptedException {
    Gate second = new Gate();
    Connector connector = open();
    KvRequest request = connector.request(RequestScope.NONE, Bench.prompt(33));
    Transfer<LoadResult> load = loadHalf(request, store(connector, request), second);
    load.cancel();
    second.open();
    path.landings.get(0).done().complete(null);
    Thread closing = Thread.startVirtualThread(connector::close);
    closing.join(100);
    assertTrue(closing.isAlive(), "the engine would free what is being written");
    assertFalse(load.done());
    path.landings.get(1).done().complete(null);
    Bench.until("closed", () -> !closing.isAlive());
    assertEquals(1, connector.poll(c -> assertEquals(load.id(), c.transferId())));
    Bench.until("idle", () -> connector.gauges().idle());
  }

  @Test
  void framesOfALandingOutliveTheConnector() {
    LoadResult result;
    int[] unregistered = new int[1];
    store.frames =
        new FrameSource() {
          @Override
          public void unregister(MemorySegment piece) {
            synchronized (unregistered) {
              unregistered[0]++;
            }
          }
        };
    try (Connector connector = open();
        KvRequest request = connector.request(RequestScope.NONE, Bench.prompt(33))) {
      PrefixMatch match = store(connector, request);
      result = request.loadAhead(match, path.memory(8), Bench.soon()).await(Bench.soon());
    }
    assertTrue(result.complete());
    assertEquals(0, unregistered[0], "the device reads them");
    path.landings.forEach(landing -> landing.done().complete(null));
    Bench.until(
        "unregistered",
        () -> {
          synchronized (unregistered) {
            return unregistered[0] == 1;
          }
        });
  }

  @Test
  void aLandingThatTellsItsEndTwiceEndsOnce() {
    path.flaw = Flaw.TELLS_TWICE;
    try (Connector connector = open();
        KvRequest request = connector.request(RequestScope.NONE, Bench.prompt(33))) {
      PrefixMatch match = store(connector, request);
      store.onLoad =
          blocks -> {
            if (blocks.keys().firstBlock() == 0) {
              blocks.set(1, BlockStatus.MISS);
            }
          };
      assertEquals(
          4, request.loadAhead(match, path.memory(8), Bench.soon()).await(Bench.soon()).tokens());
      path.landings.get(0).done().complete(null);
      path.landings.get(2).done().complete(null);
      Bench.until("the second batch's are back", () -> connector.gauges().frames() == 4);
      path.landings.get(1).done().complete(null);
      Bench.until("all are back", () -> connector.gauges().frames() == 0);
    }
  }

  /** {@return a load ahead of which the store has the second half and does not let go} */
  private Transfer<LoadResult> loadHalf(KvRequest request, PrefixMatch match, Gate second) {
    store.onLoad =
        blocks -> {
          if (blocks.keys().firstBlock() == 0) {
            blocks.set(1, BlockStatus.MISS);
          } else {
            second.pass();
          }
        };
    Transfer<LoadResult> load = request.loadAhead(match, path.memory(8), Bench.in(60_000));
    second.awaitArrivals(1);
    return load;
  }

  @Test
  void aLandingThatTellsItsEndTwiceEndsNoOther() throws InterruptedException {
    path.flaw = Flaw.TELLS_TWICE;
    Gate second = new Gate();
    try (Connector connector = open();
        KvRequest request = connector.request(RequestScope.NONE, Bench.prompt(33))) {
      Transfer<LoadResult> load = loadHalf(request, store(connector, request), second);
      path.landings.get(0).done().complete(null);
      load.cancel();
      Thread.sleep(50);
      assertFalse(load.done(), "blocks 2 and 3 are being written");
      path.landings.get(1).done().complete(null);
      Bench.until("ended", load::done);
      second.open();
    }
  }

  @Test
  void aLandingWhoseEndNobodyTellsHoldsNoCancel() {
    path.flaw = Flaw.THROWS;
    Gate second = new Gate();
    try (Connector connector = open();
        KvRequest request = connector.request(RequestScope.NONE, Bench.prompt(33))) {
      Transfer<LoadResult> load = loadHalf(request, store(connector, request), second);
      load.cancel();
      Bench.until("ended", load::done);
      assertEquals(events(0, 2), load.await(Bench.soon()).arrival().events(0, 0, 0));
      second.open();
      path.landings.forEach(landing -> landing.done().complete(null));
      Bench.until("frames back", () -> connector.gauges().quarantinedFrames() == 0);
    }
  }

  @Test
  void aLandingWhoseEndNobodyTellsIsNotTrustedAndItsFramesAreKeptFromAll() {
    path.flaw = Flaw.THROWS;
    try (Connector connector = open();
        KvRequest request = connector.request(RequestScope.NONE, Bench.prompt(33))) {
      PrefixMatch match = store(connector, request);
      Transfer<LoadResult> load = request.loadAhead(match, path.memory(8), Bench.in(60_000));
      Bench.until("ended by itself", load::done);
      LoadResult result = load.await(Bench.soon());
      assertEquals(Collections.nCopies(8, BlockStatus.IO), result.parts().getFirst().statuses());
      assertEquals(events(0, 4), result.arrival().events(0, 0, 0), "they may be under way still");
      Bench.until("kept", () -> connector.gauges().quarantinedFrames() == 8);
      assertEquals(0, connector.gauges().frames());
      path.landings.forEach(landing -> landing.done().complete(null));
      Bench.until("told after all", () -> connector.gauges().quarantinedFrames() == 0);
      assertTrue(connector.gauges().frames() == 0, () -> connector.gauges().toString());
    }
  }
}
