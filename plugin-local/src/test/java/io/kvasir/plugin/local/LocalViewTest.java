package io.kvasir.plugin.local;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.Deadline;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.store.NamespaceStore;
import io.kvasir.api.store.NamespaceSummary;
import io.kvasir.api.store.Store;
import io.kvasir.api.store.StoreException;
import io.kvasir.api.store.StoreHealth;
import io.kvasir.api.store.StoreUsage;
import io.kvasir.api.store.StoreView;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A store that is looked at: beside its owner, without one, and where there is none. */
class LocalViewTest {
  private static final NamespaceManifest FIRST = Fixture.manifest("acme", 1);
  private static final NamespaceManifest SECOND = Fixture.manifest("other", 1);
  private static final NamespaceManifest LARGE = Fixture.manifest("acme", 3);
  private static final BlockKeys KEYS = Fixture.keys(FIRST, 1, 3);

  @TempDir private Path directory;

  private LocalConfig config() {
    return Fixture.config(directory, 64 << 20);
  }

  private StoreView look() throws StoreException {
    return look(config());
  }

  private static StoreView look(LocalConfig config) throws StoreException {
    return new LocalProvider().inspect(new Fixture.Context(config));
  }

  private static List<String> said(List<NamespaceSummary> all) {
    return all.stream()
        .map(
            n ->
                "%s %s %s %s %s %s %d blocks, %d bytes"
                    .formatted(
                        HexFormat.of().formatHex(n.manifest()),
                        n.configuration().map(HexFormat.of()::formatHex),
                        n.labels(),
                        n.created(),
                        n.lastUsed(),
                        n.supersededBy(),
                        n.blocks(),
                        n.bytes()))
        .toList();
  }

  private static void same(Store store, LocalConfig config) throws StoreException {
    try (StoreView view = look(config)) {
      assertEquals(said(store.namespaces()), said(view.namespaces()));
      StoreUsage there = store.usage();
      assertEquals(
          new StoreUsage(
              there.blocks(),
              there.payloadBytes(),
              there.occupiedBytes(),
              there.capacityBytes(),
              view.usage().leasedBlocks()),
          view.usage());
    }
  }

  @ParameterizedTest
  @EnumSource(Durability.class)
  void besideItsOwnerAViewCountsWhatTheOwnerCounts(Durability durability) throws Exception {
    LocalConfig small = Fixture.config(directory, 64 << 20, durability);
    Random random = new Random(7);
    try (LocalStore store = Fixture.open(small);
        NamespaceStore first = store.open(FIRST);
        NamespaceStore large = store.open(LARGE.withLabels(Map.of("model", "tiny")))) {
      NamespaceStore again = first;
      for (int i = 0; i < 60; i++) { // past the 16 pages of the log: several checkpoints
        NamespaceManifest manifest = i % 3 == 0 ? LARGE : FIRST;
        NamespaceStore namespace = i % 3 == 0 ? large : again;
        Fixture.save(namespace, Fixture.keys(manifest, random.nextInt(20), 1 + i % 5));
        if (i % 4 == 0) {
          namespace.remove(Fixture.keys(manifest, random.nextInt(20), 2), Deadline.never());
        }
        if (i == 40) {
          store.remove(FIRST.id(), Deadline.never());
          store.open(SECOND.superseding(LARGE.id())).close();
          again = store.open(FIRST);
        }
        while (store.slabs().all().stream().anyMatch(Slab::works)) {
          Thread.onSpinWait(); // a growth has its room before it has its slots
        }
        same(store, small);
      }
      assertTrue(store.usage().blocks() > 10);
    }
    Map<String, byte[]> before = Fixture.content(directory);
    List<String> left;
    try (StoreView view = look()) {
      left = said(view.namespaces());
    }
    try (LocalStore store = Fixture.open(small)) {
      assertEquals(said(store.namespaces()), left);
    }
    assertTrue(before.containsKey("slab-8192.checkpoint"));
  }

  @Test
  void evictedBlocksAreNotCounted() throws Exception {
    LocalConfig small = Fixture.config(directory, 1 << 20);
    try (LocalStore store = Fixture.open(small);
        NamespaceStore namespace = store.open(FIRST)) {
      for (int prompt = 0; prompt < 100; prompt++) {
        Fixture.save(namespace, Fixture.keys(FIRST, prompt, 3));
      }
      assertTrue(store.usage().blocks() < 200);
      same(store, small);
    }
  }

  @Test
  void pagesThatTheCheckpointCoversDoNotCount() throws Exception {
    LocalConfig small = Fixture.config(directory, 1 << 20);
    List<String> counted;
    try (LocalStore store = Fixture.open(small);
        NamespaceStore namespace = store.open(FIRST)) {
      for (int prompt = 0; prompt < 100; prompt++) {
        Fixture.save(namespace, Fixture.keys(FIRST, prompt, 3));
      }
    }
    try (StoreView view = look(small)) {
      counted = said(view.namespaces());
    }
    MemorySegment checkpoint =
        MemorySegment.ofArray(Files.readAllBytes(directory.resolve("slab-8192.checkpoint")));
    Path slab = directory.resolve("slab-8192.kv");
    MemorySegment bytes = MemorySegment.ofArray(Files.readAllBytes(slab));
    TreeMap<Long, MemorySegment> covered = new TreeMap<>();
    for (long page = 2; page < 18; page++) {
      MemorySegment at = bytes.asSlice(page * Layout.PAGE, Layout.PAGE);
      LogPage read = LogPage.read(at, bytes.get(Layout.U64, 8));
      if (read != null && read.seq() <= checkpoint.get(Layout.U64, 16)) {
        covered.put(read.seq(), at);
      }
    }
    assertTrue(covered.size() > 6, covered.keySet()::toString);
    // what the older half ended came before blocks whose records are lost with the newer half
    covered.values().stream().skip(covered.size() / 2).forEach(at -> at.fill((byte) 0));
    Files.write(slab, bytes.toArray(ValueLayout.JAVA_BYTE));
    try (StoreView view = look(small)) {
      assertEquals(counted, said(view.namespaces()));
    }
  }

  @Test
  void viewingBesideAnOwnerTakesNoLockDropsNoneAndChangesNothing() throws Exception {
    try (LocalStore store = Fixture.open(config());
        NamespaceStore namespace = store.open(FIRST)) {
      Fixture.save(namespace, KEYS);
      Map<String, byte[]> before = Fixture.content(directory);
      try (StoreView view = look()) {
        assertEquals(1, view.namespaces().size());
        assertEquals(
            StoreHealth.up(
                "read from its files; process %d may have it open, and what it wrote last may be missing here"
                    .formatted(ProcessHandle.current().pid())),
            view.health());
      }
      Map<String, byte[]> after = Fixture.content(directory);
      before.remove("slab-8192.kv"); // in which its owner marks when it is idle
      after.remove("slab-8192.kv");
      unchanged(before, after);
      assertEquals(0, DirectoryLockTest.probe(directory), "another process can take the lock");
      Fixture.save(namespace, Fixture.keys(FIRST, 2, 3));
      assertEquals(3, Fixture.count(Fixture.load(namespace, KEYS), BlockStatus.OK));
    }
    Map<String, byte[]> before = Fixture.content(directory);
    try (StoreView view = look()) {
      assertEquals(6, view.namespaces().getFirst().blocks());
    }
    unchanged(before);
    assertEquals(1, DirectoryLockTest.probe(directory), "the lock is held");
  }

  private void unchanged(Map<String, byte[]> before) throws Exception {
    unchanged(before, Fixture.content(directory));
  }

  private static void unchanged(Map<String, byte[]> before, Map<String, byte[]> after) {
    assertEquals(before.keySet(), after.keySet());
    before.forEach((name, bytes) -> assertArrayEquals(bytes, after.get(name), name));
  }

  @Test
  void whereThereIsNoStoreAViewIsEmptyAndCreatesNothing() throws Exception {
    Path absent = directory.resolve("a/b");
    for (Path path : List.of(directory, absent)) {
      LocalConfig config = Fixture.config(path, 64 << 20);
      try (StoreView view = look(config)) {
        assertEquals(List.of(), view.namespaces());
        assertEquals(new StoreUsage(0, 0, 0, 64 << 20, 0), view.usage());
        assertEquals(
            StoreHealth.up("not there yet; the first engine that opens it creates it"),
            view.health());
      }
    }
    assertFalse(Files.exists(directory.resolve("a")));
    assertEquals(Map.of(), Fixture.content(directory));
  }

  @Test
  void aPageThatIsHalfWrittenIsLeftOut() throws Exception {
    try (LocalStore store = Fixture.open(config());
        NamespaceStore namespace = store.open(FIRST)) {
      Fixture.save(namespace, KEYS);
      Fixture.save(namespace, Fixture.keys(FIRST, 2, 2));
    }
    Path slab = directory.resolve("slab-8192.kv");
    MemorySegment bytes = MemorySegment.ofArray(Files.readAllBytes(slab));
    long torn = -1;
    long latest = -1;
    for (long page = 2; page < 18; page++) {
      LogPage read =
          LogPage.read(bytes.asSlice(page * Layout.PAGE, Layout.PAGE), bytes.get(Layout.U64, 8));
      if (read != null && read.puts().size() == 1 && read.seq() > latest) {
        latest = read.seq();
        torn = page;
      }
    }
    bytes.asSlice(torn * Layout.PAGE + 100, 500).fill((byte) 0);
    Files.write(slab, bytes.toArray(ValueLayout.JAVA_BYTE));
    try (StoreView view = look()) {
      assertEquals(4, view.namespaces().getFirst().blocks());
    }
  }

  @Test
  void besideAWriterNoCallFailsAndCountsStayWithinWhatWasWritten() throws Exception {
    AtomicBoolean done = new AtomicBoolean();
    List<Throwable> failed = new ArrayList<>();
    LocalConfig small = Fixture.config(directory, 1 << 20); // evicts, checkpoints, grows
    try (LocalStore store = Fixture.open(small);
        NamespaceStore namespace = store.open(FIRST)) {
      Thread reader =
          new Thread(
              () -> {
                try {
                  while (!done.get()) {
                    try (StoreView view = look(small)) {
                      assertEquals(1, view.namespaces().size());
                      assertTrue(view.usage().payloadBytes() <= 1 << 20);
                    }
                  }
                } catch (Throwable e) {
                  failed.add(e);
                }
              });
      reader.start();
      for (int prompt = 0; prompt < 300; prompt++) {
        Fixture.save(namespace, Fixture.keys(FIRST, prompt, 3));
      }
      done.set(true);
      reader.join();
      assertEquals(List.of(), failed);
      same(store, small);
    }
  }

  @Test
  void aDamagedStoreIsRefusedAsOpeningItWouldBe() throws Exception {
    try (LocalStore store = Fixture.open(config());
        NamespaceStore namespace = store.open(FIRST)) {
      for (int prompt = 0; prompt < 40; prompt++) {
        Fixture.save(namespace, Fixture.keys(FIRST, prompt, 1));
      }
    }
    Path checkpoint = directory.resolve("slab-8192.checkpoint");
    byte[] good = Files.readAllBytes(checkpoint);
    byte[] bad = good.clone();
    bad[4096] ^= 1;
    Files.write(checkpoint, bad);
    sameRefusal();
    Files.delete(checkpoint);
    sameRefusal();
    Files.write(checkpoint, good);
    Path slab = directory.resolve("slab-8192.kv");
    byte[] whole = Files.readAllBytes(slab);
    byte[] headless = whole.clone();
    Arrays.fill(headless, 0, 8192, (byte) 0);
    Files.write(slab, headless);
    sameRefusal();
    Files.write(slab, whole);
    Files.writeString(directory.resolve("store"), "garbage");
    sameRefusal();
    Files.delete(directory.resolve("store"));
    sameRefusal();
  }

  private void sameRefusal() throws Exception {
    Map<String, byte[]> before = Fixture.content(directory);
    StoreException looked = assertThrows(StoreException.class, this::look);
    unchanged(before);
    StoreException opened =
        assertThrows(
            StoreException.class, () -> new LocalProvider().open(new Fixture.Context(config())));
    assertEquals(opened.getMessage(), looked.getMessage());
    assertEquals(opened.kind(), looked.kind());
  }

  @Test
  void aCapacityBelowWhatIsThereIsAConfigurationError() throws Exception {
    try (LocalStore store = Fixture.open(config());
        NamespaceStore namespace = store.open(FIRST)) {
      Fixture.save(namespace, KEYS);
    }
    Fixture.Context small = new Fixture.Context(Fixture.config(directory, 100_000));
    StoreException e = assertThrows(StoreException.class, () -> new LocalProvider().inspect(small));
    assertEquals(
        assertThrows(StoreException.class, () -> new LocalProvider().open(small)).getMessage(),
        e.getMessage());
    assertEquals(StoreException.Kind.CONFIGURATION, e.kind());
  }

  @Test
  void aManifestMovedAwayCostsNoBlockUntilTheStoreIsOpenedWhichWarns(@TempDir Path elsewhere)
      throws Exception {
    Said said = new Said();
    try (LocalStore store = Fixture.open(config());
        NamespaceStore first = store.open(FIRST);
        NamespaceStore second = store.open(SECOND)) {
      Fixture.save(first, KEYS);
      Fixture.save(second, Fixture.keys(SECOND, 1, 2));
    }
    Path manifest = directory.resolve("ns-" + FIRST.id().hex() + ".json");
    Path moved = elsewhere.resolve("manifest");
    Files.move(manifest, moved);
    try (StoreView view = look()) {
      assertEquals(
          List.of(SECOND.id()), view.namespaces().stream().map(NamespaceSummary::id).toList());
    }
    Files.move(moved, manifest);
    try (Store store = new LocalProvider().open(new Fixture.Context(config(), said));
        NamespaceStore first = store.open(FIRST)) {
      assertEquals(3, Fixture.count(Fixture.load(first, KEYS), BlockStatus.OK));
      assertEquals(List.of(), warnings(said));
    }
    Files.move(manifest, moved);
    new LocalProvider().open(new Fixture.Context(config(), said)).close();
    assertEquals(
        List.of(
            "WARNING slab file %s: ended 3 blocks of the namespace %s, which has no manifest: the file ns-%2$s….json was moved away or lost, and a namespace of that id starts afresh; to remove one, use \"kvasir rm\""
                .formatted(directory.resolve("slab-8192.kv"), FIRST.id().hex().substring(0, 32))),
        warnings(said));
    Files.move(moved, manifest);
    try (LocalStore store = Fixture.open(config())) {
      assertEquals(
          List.of(0L, 2L), List.of(FIRST, SECOND).stream().map(n -> blocks(store, n)).toList());
    }
    new LocalProvider().open(new Fixture.Context(config(), said)).close();
    assertEquals(1, warnings(said).size(), "said once");
  }

  private static List<String> warnings(Said said) {
    return said.messages().stream().filter(m -> m.startsWith("WARNING slab file")).toList();
  }

  private static long blocks(Store store, NamespaceManifest namespace) {
    try {
      return store.namespaces().stream()
          .filter(n -> n.id().equals(namespace.id()))
          .mapToLong(NamespaceSummary::blocks)
          .sum();
    } catch (StoreException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aClosedViewIsClosed() throws Exception {
    StoreView view = look();
    view.close();
    assertEquals(
        StoreException.Kind.CLOSED, assertThrows(StoreException.class, view::namespaces).kind());
    assertEquals(
        StoreException.Kind.CLOSED, assertThrows(StoreException.class, view::usage).kind());
    assertEquals(StoreHealth.down("closed"), view.health());
  }
}
