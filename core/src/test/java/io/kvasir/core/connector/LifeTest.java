package io.kvasir.core.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.ByteSize;
import io.kvasir.api.Fence;
import io.kvasir.api.KvRequest;
import io.kvasir.api.LoadResult;
import io.kvasir.api.MetricsListener;
import io.kvasir.api.PrefixMatch;
import io.kvasir.api.Transfer;
import io.kvasir.api.identity.RequestScope;
import io.kvasir.api.store.FrameSource;
import io.kvasir.api.store.Setting;
import io.kvasir.api.store.StoreException;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What a connector holds, and that it lets it go. */
final class LifeTest {
  private final ScriptedStore store = new ScriptedStore();
  private final Gate gate = new Gate();

  private static Set<Thread> threads() {
    Set<Thread> now = ConcurrentHashMap.newKeySet();
    Thread.getAllStackTraces().keySet().stream()
        .filter(t -> t.getName().startsWith("kvasir-"))
        .forEach(now::add);
    return now;
  }

  /** Counts the pieces that are registered. */
  private static final class Counting implements FrameSource {
    final AtomicInteger pieces = new AtomicInteger();
    final List<MemorySegment> all = Collections.synchronizedList(new ArrayList<>());

    @Override
    public long alignment() {
      return 4096;
    }

    @Override
    public long frameBytes(long payloadBytes) {
      return payloadBytes + 16;
    }

    @Override
    public long pieceBytes() {
      return 4 * 4096;
    }

    @Override
    public void register(MemorySegment piece) {
      pieces.incrementAndGet();
      all.add(piece);
    }

    @Override
    public void unregister(MemorySegment piece) {
      pieces.decrementAndGet();
    }
  }

  @Test
  void nothingIsLeftAfterClose() {
    Counting counting = new Counting();
    store.frames = counting;
    Set<Thread> before = threads();
    Bench.Settings settings = Bench.settings();
    settings.frames = 64 * 4096;
    Connector connector = settings.open(store);
    for (int i = 0; i < 5; i++) {
      Bench.fill(connector, 16, i);
    }
    assertTrue(counting.pieces.get() > 0);
    assertTrue(
        counting.all.stream().allMatch(p -> p.address() % 4096 == 0 && p.byteSize() == 4 * 4096));
    connector.close();
    assertEquals(0, counting.pieces.get());
    assertTrue(counting.all.stream().noneMatch(p -> p.scope().isAlive()), "native memory is freed");
    Set<Thread> after = threads();
    after.removeAll(before);
    assertEquals(Set.of(), after);
    assertEquals(0, store.openViews.get());
  }

  @Test
  void closeHasADeadlineAndSaysWhatItAbandoned() {
    Counting counting = new Counting();
    store.frames = counting;
    Bench.Settings settings = Bench.settings();
    settings.frames = 64 * 4096;
    settings.close = Duration.ofMillis(100);
    Said said = new Said();
    Connector connector =
        Connector.open(settings.build(), store, Bench.DEPLOYMENT, Bench.STRICT, true, said);
    store.onSave = _ -> gate.pass();
    KvRequest request = connector.request(RequestScope.NONE, Bench.prompt(8));
    Transfer<?> save = request.save(Bench.memory(2, 1), Fence.none());
    gate.awaitArrivals(1);
    long begun = System.nanoTime();
    connector.close();
    assertTrue(System.nanoTime() - begun < Duration.ofSeconds(5).toNanos());
    assertTrue(save.done());
    assertEquals(1, connector.poll(c -> {}));
    assertEquals(
        List.of(
            "closed after PT0.1S with calls that did not come back: [save of "
                + Bench.DEPLOYMENT
                + " g0 s0 blocks 0…2]; 2 frames are freed when they do"),
        said.messages);
    assertEquals(1, counting.pieces.get(), "the call still reads from it");
    gate.open();
    Bench.until("freed", () -> counting.pieces.get() == 0);
    Bench.until("view closed", () -> store.openViews.get() == 0);
  }

  @Test
  void aCauseStandsInTheLogOnceAMinutePerStatus() {
    Said said = new Said();
    store.onLookup =
        _ -> {
          throw new StoreException(StoreException.Kind.CAPACITY, "no room");
        };
    store.onSave = blocks -> blocks.setRest(BlockStatus.IO, new IllegalStateException("broken"));
    try (Connector connector =
        Connector.open(
            Bench.settings().build(), store, Bench.DEPLOYMENT, Bench.STRICT, true, said)) {
      for (int i = 0; i < 2; i++) {
        try (KvRequest request = connector.request(RequestScope.NONE, Bench.prompt(9))) {
          assertEquals(BlockStatus.CAPACITY, Bench.lookup(request).status());
        }
        Bench.fill(connector, 2, 1);
      }
    }
    String blocks = Bench.DEPLOYMENT + " g0 s0 blocks 0…2";
    assertEquals(
        List.of(
            "lookup of %s ended CAPACITY; more of these are not logged for a minute: %s"
                .formatted(blocks, "io.kvasir.api.store.StoreException: no room"),
            "save of %s ended IO; more of these are not logged for a minute: %s"
                .formatted(blocks, "java.lang.IllegalStateException: broken")),
        said.messages);
  }

  @Test
  void aPieceThatCannotBeRegisteredLeavesFewerFrames() {
    AtomicInteger pieces = new AtomicInteger();
    store.frames =
        new FrameSource() {
          @Override
          public long pieceBytes() {
            return 4L * Bench.BLOCK;
          }

          @Override
          public void register(MemorySegment piece) throws StoreException {
            if (pieces.incrementAndGet() > 2) {
              throw new StoreException(StoreException.Kind.IO, "no more pins");
            }
          }
        };
    try (Connector connector = Bench.settings().open(store)) {
      assertEquals(32, Bench.fill(connector, 32, 1).saved());
    }
    store.blocks.clear();
    pieces.set(2);
    try (Connector connector = Bench.settings().open(store)) {
      assertEquals(
          List.of(BlockStatus.CAPACITY, BlockStatus.CAPACITY),
          Bench.fill(connector, 2, 1).parts().getFirst().statuses());
      Bench.until("idle", () -> connector.gauges().idle());
    }
  }

  @Test
  void theLeaseEndsWithTheSaveOfTheSuffixOrTheRequest() {
    try (Connector connector = Bench.settings().open(store)) {
      Bench.fill(connector, 4, 1);
      try (KvRequest request = connector.request(RequestScope.NONE, Bench.prompt(24))) {
        PrefixMatch match = Bench.lookup(request);
        assertEquals(1, connector.gauges().leases());
        assertEquals(16, request.load(match, Bench.memory(4, 0)).await(Bench.soon()).tokens());
        assertEquals(1, store.leases.get(), "held until the suffix is saved");
        assertEquals(2, request.save(Bench.memory(6, 1), Fence.none()).await(Bench.soon()).saved());
        Bench.until("released", () -> store.leases.get() == 0);
      }
      try (KvRequest request = connector.request(RequestScope.NONE, Bench.prompt(24))) {
        assertEquals(20, Bench.lookup(request).tokens());
        assertEquals(20, Bench.lookup(request).tokens());
        Bench.until("the older one is released", () -> store.leases.get() == 1);
      }
      Bench.until("released", () -> store.leases.get() == 0);
      try (KvRequest request = connector.request(RequestScope.salted("x"), Bench.prompt(24))) {
        assertEquals(0, Bench.lookup(request).tokens());
        Bench.until("nothing found, nothing held", () -> store.leases.get() == 0);
      }
      Bench.until("idle", () -> connector.gauges().idle());
    }
  }

  @Test
  void theLeaseOfAnOpenRequestIsRenewed() {
    try (Connector connector = Bench.settings().open(store)) {
      Bench.fill(connector, 4, 1);
      try (KvRequest request = connector.request(RequestScope.NONE, Bench.prompt(17))) {
        assertEquals(16, Bench.lookup(request).tokens());
        connector.renewLeases();
        Bench.until("renewed", () -> store.renewals.get() == 1);
      }
      connector.renewLeases();
      Bench.until("idle", () -> connector.gauges().idle());
      assertEquals(1, store.renewals.get());
    }
  }

  @Test
  void leasesAreReleasedWhateverBecomesOfTheRequest() {
    long seed = 1034;
    SplittableRandom random = new SplittableRandom(seed);
    AtomicInteger calls = new AtomicInteger();
    try (Connector connector = Bench.settings().open(store)) {
      Bench.fill(connector, 8, 1);
      store.onLoad =
          _ -> {
            if (calls.incrementAndGet() % 4 == 0) {
              throw new IllegalStateException("every fourth load");
            }
          };
      for (int i = 0; i < 500; i++) {
        try (KvRequest request = connector.request(RequestScope.NONE, Bench.prompt(33))) {
          Transfer<PrefixMatch> lookup = request.lookup();
          if (random.nextInt(3) == 0) {
            lookup.cancel();
          }
          PrefixMatch match = lookup.await(random.nextInt(4) == 0 ? Bench.in(0) : Bench.soon());
          if (random.nextBoolean()) {
            Transfer<LoadResult> load = request.load(match, Bench.memory(8, 0));
            if (random.nextBoolean()) {
              load.cancel();
            }
          }
        }
      }
      Bench.until("released, seed " + seed, () -> store.leases.get() == 0);
      connector.poll(c -> {});
      Bench.until("idle, seed " + seed, () -> connector.gauges().idle());
    }
  }

  @Test
  void aListenerHearsBlocksByStatusAndOneThatThrowsIsDropped() {
    List<String> heard = Collections.synchronizedList(new ArrayList<>());
    AtomicInteger thrown = new AtomicInteger();
    try (Connector connector = Bench.settings().open(store)) {
      connector.listen(
          new MetricsListener() {
            @Override
            public void saved(BlockStatus status, int blocks, long bytes, long nanos) {
              thrown.incrementAndGet();
              throw new IllegalStateException("the listener's mistake");
            }
          });
      connector.listen(
          new MetricsListener() {
            @Override
            public void lookedUp(int asked, int found, BlockStatus status, long nanos) {
              heard.add("lookup " + asked + " " + found + " " + status);
            }

            @Override
            public void loaded(BlockStatus status, int blocks, long bytes, long nanos) {
              heard.add("load " + status + " " + blocks + " " + bytes);
            }

            @Override
            public void saved(BlockStatus status, int blocks, long bytes, long nanos) {
              heard.add("save " + status + " " + blocks + " " + bytes);
            }
          });
      Bench.fill(connector, 4, 1);
      Bench.fill(connector, 4, 1);
      assertEquals(1, thrown.get());
      try (KvRequest request = connector.request(RequestScope.NONE, Bench.prompt(17))) {
        PrefixMatch match = Bench.lookup(request);
        store.onLoad =
            blocks -> {
              if (blocks.keys().firstBlock() == 2) {
                blocks.set(1, BlockStatus.MISS);
              }
            };
        var _ = request.load(match, Bench.memory(4, 0)).await(Bench.soon());
      }
      assertEquals(
          List.of(
              "save OK 4 1024",
              "save OK 4 1024",
              "lookup 17 16 OK",
              "load OK 3 768",
              "load MISS 1 256"),
          heard);
    }
  }

  @Test
  void aPolicyThatIsNotWritableSavesNothing() {
    Said said = new Said();
    try (Connector connector =
            Connector.open(
                Bench.settings().build(), store, Bench.DEPLOYMENT, Bench.STRICT, false, said);
        KvRequest request = connector.request(RequestScope.NONE, Bench.prompt(8))) {
      var result = request.save(Bench.memory(2, 1), Fence.none()).await(Bench.soon());
      assertTrue(result.parts().isEmpty());
      assertEquals(0, store.saves.get());
      var again = request.save(Bench.memory(2, 1), Fence.none()).await(Bench.soon());
      assertTrue(again.parts().isEmpty());
      assertEquals(
          List.of("the identity policy is not writable here: saves do nothing"), said.messages);
    }
  }

  @Test
  void theDefaultsOfTheSettingsAreThoseThatTheyDeclare() throws ReflectiveOperationException {
    for (RecordComponent component : ConnectorSettings.class.getRecordComponents()) {
      Setting setting = component.getAnnotation(Setting.class);
      assertTrue(setting.value().endsWith("."), component.getName());
      Object value = component.getAccessor().invoke(ConnectorSettings.defaults());
      assertEquals(parse(setting.byDefault(), component.getType()), value, component.getName());
    }
  }

  private static Object parse(String text, Class<?> type) {
    if (type == int.class) {
      return Integer.valueOf(text);
    }
    return type == ByteSize.class
        ? ByteSize.parse(text)
        : Duration.parse("PT" + text.replaceFirst("([0-9]+)ms", "0.$1s"));
  }
}
