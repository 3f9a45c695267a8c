package io.kvasir.core.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.api.Arrival;
import io.kvasir.api.BlockStatus;
import io.kvasir.api.ByteSize;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.identity.Weights;
import io.kvasir.api.store.Store;
import io.kvasir.api.store.StoreException;
import io.kvasir.conformance.Seed;
import io.kvasir.conformance.TestContext;
import io.kvasir.conformance.engine.CacheShape;
import io.kvasir.conformance.engine.DeviceCache;
import io.kvasir.conformance.engine.EngineReport;
import io.kvasir.conformance.engine.FakeDevice;
import io.kvasir.conformance.engine.FakeDevicePath;
import io.kvasir.conformance.engine.NativeCache;
import io.kvasir.conformance.engine.PagedCache;
import io.kvasir.conformance.engine.PagedEngine;
import io.kvasir.conformance.engine.PathStore;
import io.kvasir.conformance.engine.UnrulyStore;
import io.kvasir.conformance.engine.Workload;
import io.kvasir.core.connector.Connector;
import io.kvasir.core.connector.ConnectorSettings;
import io.kvasir.core.identity.StrictPolicy;
import io.kvasir.cuda.standin.StandIn;
import io.kvasir.cuda.standin.StandInCache;
import io.kvasir.cuda.standin.StandInGpu;
import io.kvasir.plugin.memory.MemoryConfiguration;
import io.kvasir.plugin.memory.MemoryStoreProvider;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The connector under an engine that aborts, preempts and changes its weights at random. */
class PagedEngineTest {
  private static final CacheShape SHAPE = CacheShape.small(96);
  private static final Weights WEIGHTS = Weights.named("toy", "release-1");
  private static final ByteSize ROOM = new ByteSize(48 << 10); // fewer blocks than are drawn

  private static final int OPERATIONS = Boolean.getBoolean("kvasir.soak") ? 3_000_000 : 100_000;

  private Set<String> threads;

  @BeforeEach
  void countThreads() {
    threads = threads();
  }

  @AfterEach
  void noThreadIsLeft() throws InterruptedException {
    Set<String> left = threads();
    for (int i = 0; i < 100 && !threads.containsAll(left); i++) {
      Thread.sleep(50);
      left = threads();
    }
    left.removeAll(threads);
    assertEquals(Set.of(), left, "threads that outlive the connector");
  }

  private static Set<String> threads() {
    Set<String> names = new TreeSet<>();
    Thread.getAllStackTraces().keySet().stream()
        .filter(t -> t.isAlive() && !t.getName().startsWith("ForkJoinPool"))
        .filter(t -> !t.getName().equals("process reaper")) // the JDK's, of the stand-in's compiler
        .forEach(t -> names.add(t.getName()));
    return names;
  }

  @Test
  void hundredThousandOperationsWithFaultsAbortsAndUpdatesGiveNoWrongByte() throws StoreException {
    MemoryConfiguration faults =
        MemoryConfiguration.of(ROOM).failingEvery(97).shortReadEvery(211).flippingEvery(173);
    EngineReport report = onTheHost(faults, 0, Workload.mixed(Seed.value(), OPERATIONS));
    report.assertSound();
    assertTrue(report.operations() >= OPERATIONS);
    assertTrue(report.loadedTokens() > 10_000, report::toString);
    assertTrue(report.updates() > 10 && report.aborts() > 100, report::toString);
    assertTrue(report.loads().getOrDefault(BlockStatus.CORRUPT, 0L) > 0, report::toString);
    assertTrue(report.loads().getOrDefault(BlockStatus.IO, 0L) > 0, report::toString);
    assertTrue(report.saves().getOrDefault(BlockStatus.MISMATCH, 0L) > 0, report::toString);
  }

  @Test
  void storeThatThrowsHangsAndForgetsStatusesGivesNoWrongByte() throws StoreException {
    EngineReport report =
        onTheHost(MemoryConfiguration.of(ROOM), 10, Workload.mixed(Seed.value() + 1, 15_000));
    report.assertSound();
    assertTrue(report.loadedTokens() > 1_000, report::toString);
  }

  @Test
  void memoryThatTheHostCannotAddressGivesNoWrongByte() throws StoreException {
    MemoryConfiguration faults = MemoryConfiguration.of(ROOM).failingEvery(97).flippingEvery(173);
    try (FakeDevice device = new FakeDevice("fake:0", 1 << 20, Duration.ofNanos(1))) {
      Store store = new PathStore(open(faults), new FakeDevicePath(device));
      EngineReport report =
          run(store, 2, new DeviceCache(SHAPE, device), Workload.mixed(Seed.value() + 2, 15_000));
      report.assertSound();
      assertTrue(report.loadedTokens() > 1_000, report::toString);
    }
  }

  @Test
  void memoryOfAGpuGivesNoWrongByte() throws StoreException {
    StandIn standIn = StandIn.load();
    long copies = standIn.count("copies");
    MemoryConfiguration faults = MemoryConfiguration.of(ROOM).failingEvery(97).flippingEvery(173);
    int operations = Boolean.getBoolean("kvasir.soak") ? 100_000 : 8_000;
    try (StandInGpu gpu = new StandInGpu(standIn)) {
      EngineReport report =
          run(
              open(faults),
              2,
              new StandInCache(SHAPE, gpu),
              Workload.mixed(Seed.value() + 5, operations));
      report.assertSound();
      assertTrue(report.loadedTokens() > 500, report::toString);
    }
    assertTrue(standIn.count("copies") > copies, "blocks went through the driver");
    assertEquals(StandIn.NOTHING, standIn.live());
    assertEquals(0, standIn.count("faults"));
    assertEquals(0, standIn.count("unpinned"));
    assertEquals(0, standIn.count("virtual-calls"));
  }

  /** {@return what an engine finds that looks at each load at once, on a slow GPU} */
  private static EngineReport onASlowGpu(
      UnaryOperator<Store> store, Function<StandInGpu, PagedCache> cache) throws StoreException {
    StandIn standIn = StandIn.load();
    MemoryConfiguration room = MemoryConfiguration.of(new ByteSize(16 << 20));
    try (StandInGpu gpu = new StandInGpu(standIn)) {
      standIn.delay(100);
      Workload workload = new Workload(Seed.value() + 6, 600, 1, 4, 0, 0, 0, 0);
      return run(store.apply(open(room)), 0, cache.apply(gpu), workload);
    } finally {
      standIn.delay(0);
    }
  }

  @Test
  void engineWhoseStreamWaitsForArrivalsReadsNoWrongByteOnASlowGpu() throws StoreException {
    EngineReport report = onASlowGpu(s -> s, gpu -> new StandInCache(SHAPE, gpu));
    report.assertSound();
    assertTrue(report.loadedTokens() > 100, report::toString);
  }

  @Test
  void engineWhoseStreamDoesNotWaitForArrivalsIsCaught() throws StoreException {
    EngineReport report =
        onASlowGpu(
            s -> s,
            gpu ->
                new StandInCache(SHAPE, gpu) {
                  @Override
                  public void await(Arrival arrival) {}
                });
    assertTrue(report.wrongBytes() > 0, report::toString);
  }

  @Test
  void pathThatGivesFramesBackBeforeTheyAreReadIsCaught() throws StoreException {
    EngineReport report =
        onASlowGpu(
            s -> new PathStore(s, new EagerPath(s.transferPaths().getFirst())),
            gpu -> new StandInCache(SHAPE, gpu));
    assertTrue(report.wrongBytes() > 0, report::toString);
  }

  @Test
  void calmEngineFindsMostOfWhatItStored() throws StoreException {
    MemoryConfiguration room = MemoryConfiguration.of(new ByteSize(16 << 20));
    EngineReport report = onTheHost(room, 0, Workload.mixed(Seed.value() + 3, 10_000).calm());
    report.assertSound();
    assertEquals(Set.of(BlockStatus.OK), report.saves().keySet(), report::toString);
    assertTrue(report.loadedTokens() > 10 * report.requests(), report::toString);
  }

  @Test
  void storeThatLiesIsFoundOutByTheEngine() throws StoreException {
    MemoryConfiguration lies = MemoryConfiguration.of(ROOM).flippingEvery(50).lying();
    EngineReport report = onTheHost(lies, 0, Workload.mixed(Seed.value() + 4, 5_000));
    assertTrue(report.wrongBytes() > 0, report::toString);
    assertEquals(0, report.lateWrites(), report::toString);
  }

  private static Store open(MemoryConfiguration configuration) throws StoreException {
    return new MemoryStoreProvider().open(new TestContext(configuration));
  }

  private static EngineReport onTheHost(
      MemoryConfiguration configuration, int unruly, Workload workload) throws StoreException {
    try (PagedCache cache = new NativeCache(SHAPE)) {
      return run(open(configuration), unruly, cache, workload);
    }
  }

  private static EngineReport run(Store store, int unruly, PagedCache cache, Workload workload)
      throws StoreException {
    UnrulyStore guarded = new UnrulyStore(store, workload.seed(), unruly);
    NamespaceManifest deployment = NamespaceManifest.of("acme", WEIGHTS, SHAPE.format());
    EngineReport report;
    try (guarded) {
      try (Connector connector =
          Connector.open(settings(), guarded, deployment, new StrictPolicy(), true)) {
        report = PagedEngine.run(connector, cache, WEIGHTS, workload);
        assertTrue(guarded.pieces() > 0, "the frames' memory is counted");
        System.out.println(report);
      }
      assertEquals(0, guarded.pieces(), "pieces of native memory after the connector was closed");
    }
    return report;
  }

  private static ConnectorSettings settings() {
    return new ConnectorSettings(
        Duration.ofMillis(20),
        Duration.ofMillis(50),
        Duration.ofSeconds(60),
        Duration.ofMillis(100),
        Duration.ofSeconds(5),
        Duration.ofSeconds(5),
        3,
        3,
        16,
        4,
        new ByteSize(64 << 10),
        new ByteSize(64 << 10),
        8,
        Duration.ofMillis(5),
        Duration.ofMillis(5),
        Duration.ofMinutes(10));
  }
}
