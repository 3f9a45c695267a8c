package io.kvasir.plugin.local;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.Deadline;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.store.BlockLease;
import io.kvasir.api.store.Blocks;
import io.kvasir.api.store.Frame;
import io.kvasir.api.store.NamespaceStore;
import io.kvasir.api.store.NamespaceSummary;
import io.kvasir.api.store.StoreException;
import io.kvasir.api.store.StoreHealth;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalStoreTest {
  private final NamespaceManifest manifest = Fixture.manifest("acme", 1);
  @TempDir private Path directory;

  @Test
  void savedBlocksLoadAfterReopening() throws Exception {
    BlockKeys keys = Fixture.keys(manifest, 1, 50);
    try (LocalStore store = Fixture.open(directory);
        NamespaceStore namespace = store.open(manifest)) {
      assertEquals(50, Fixture.count(Fixture.save(namespace, keys), BlockStatus.OK));
    }
    try (LocalStore store = Fixture.open(directory);
        NamespaceStore namespace = store.open(manifest)) {
      Blocks loaded = Fixture.load(namespace, keys);
      for (int i = 0; i < 50; i++) {
        assertEquals(BlockStatus.OK, loaded.status(i));
        assertTrue(Fixture.holdsItsBytes(loaded, i));
      }
    }
  }

  @Test
  void absentBlockLoadsAsMiss() throws Exception {
    try (LocalStore store = Fixture.open(directory);
        NamespaceStore namespace = store.open(manifest)) {
      Blocks loaded = Fixture.load(namespace, Fixture.keys(manifest, 9, 2));
      assertEquals(2, Fixture.count(loaded, BlockStatus.MISS));
    }
  }

  @Test
  void anExistingBlockIsOkAndUntouched() throws Exception {
    BlockKeys keys = Fixture.keys(manifest, 1, 1);
    try (LocalStore store = Fixture.open(directory);
        NamespaceStore namespace = store.open(manifest)) {
      Fixture.save(namespace, keys);
      Blocks other = Fixture.frames(keys);
      other.frame(0).payload().fill((byte) 1);
      namespace.save(other, Deadline.never());
      assertEquals(BlockStatus.OK, other.status(0));
      assertTrue(Fixture.holdsItsBytes(Fixture.load(namespace, keys), 0));
    }
  }

  @Test
  void framesOfAnyMemoryWork() throws Exception {
    BlockKeys keys = Fixture.keys(manifest, 1, 1);
    try (LocalStore store = Fixture.open(directory);
        NamespaceStore namespace = store.open(manifest)) {
      MemorySegment heap = MemorySegment.ofArray(new byte[5000]);
      Blocks blocks = new Blocks(keys, List.of(new Frame(heap, keys.payloadBytes())));
      blocks.frame(0).payload().copyFrom(Fixture.bytes(keys, 0));
      namespace.save(blocks, Deadline.never());
      heap.fill((byte) 0);
      try (BlockLease lease = namespace.lookup(keys, Deadline.never())) {
        namespace.load(lease, blocks, Deadline.never());
      }
      assertEquals(BlockStatus.OK, blocks.status(0));
      assertTrue(Fixture.holdsItsBytes(blocks, 0));
    }
  }

  @Test
  void aRemovedBlockIsGoneAfterReopening() throws Exception {
    BlockKeys keys = Fixture.keys(manifest, 1, 4);
    try (LocalStore store = Fixture.open(directory);
        NamespaceStore namespace = store.open(manifest)) {
      Fixture.save(namespace, keys);
      namespace.remove(keys.slice(1, 3), Deadline.never());
      namespace.remove(keys.slice(1, 3), Deadline.never());
    }
    try (LocalStore store = Fixture.open(directory);
        NamespaceStore namespace = store.open(manifest);
        BlockLease lease = namespace.lookup(keys, Deadline.never())) {
      assertTrue(lease.present(0) && !lease.present(1) && !lease.present(2) && lease.present(3));
      assertEquals(1, lease.prefix());
    }
  }

  @Test
  void removingANamespaceRemovesNothingElse() throws Exception {
    NamespaceManifest other = Fixture.manifest("other", 1);
    BlockKeys keys = Fixture.keys(manifest, 1, 8);
    BlockKeys others = Fixture.keys(other, 1, 8);
    try (LocalStore store = Fixture.open(directory)) {
      NamespaceStore mine = store.open(manifest);
      NamespaceStore theirs = store.open(other);
      Fixture.save(mine, keys);
      Fixture.save(theirs, others);
      store.remove(manifest.id(), Deadline.never());
      store.remove(manifest.id(), Deadline.never());
      assertEquals(8, Fixture.count(Fixture.load(mine, keys), BlockStatus.MISS));
      assertEquals(8, Fixture.count(Fixture.load(theirs, others), BlockStatus.OK));
      assertEquals(8, Fixture.count(Fixture.save(mine, keys), BlockStatus.CLOSED));
      NamespaceStore again = store.open(manifest);
      assertEquals(8, Fixture.count(Fixture.load(again, keys), BlockStatus.MISS));
    }
    try (LocalStore store = Fixture.open(directory)) {
      assertEquals(8, Fixture.count(Fixture.load(store.open(manifest), keys), BlockStatus.MISS));
      assertEquals(8, Fixture.count(Fixture.load(store.open(other), others), BlockStatus.OK));
      assertEquals(8, store.usage().blocks());
    }
  }

  @Test
  void keysOfAnotherNamespaceAreTheCallersMistake() throws Exception {
    BlockKeys keys = Fixture.keys(Fixture.manifest("other", 1), 1, 1);
    try (LocalStore store = Fixture.open(directory);
        NamespaceStore namespace = store.open(manifest)) {
      assertThrows(IllegalArgumentException.class, () -> namespace.lookup(keys, Deadline.never()));
      assertThrows(IllegalArgumentException.class, () -> Fixture.save(namespace, keys));
    }
  }

  @Test
  void aLeaseKeepsItsBlocksWhileTheStoreOverflows() throws Exception {
    BlockKeys keys = Fixture.keys(manifest, 1, 8);
    LocalConfig config = Fixture.config(directory, 1 << 20);
    try (LocalStore store = Fixture.open(config);
        NamespaceStore namespace = store.open(manifest)) {
      Fixture.save(namespace, keys);
      for (int i = 0; i < 10; i++) { // grow first: at most half of the slots can be leased
        Fixture.save(namespace, Fixture.keys(manifest, 100 + i, 2));
      }
      BlockLease lease = namespace.lookup(keys, Deadline.never());
      assertTrue(lease.held());
      assertEquals(8, store.usage().leasedBlocks());
      for (int i = 0; i < 60; i++) {
        Fixture.save(namespace, Fixture.keys(manifest, 1000 + i, 8));
      }
      Blocks loaded = Fixture.frames(keys);
      namespace.load(lease, loaded, Deadline.never());
      assertEquals(8, Fixture.count(loaded, BlockStatus.OK));
      lease.close();
      lease.close();
      assertFalse(lease.held());
      assertFalse(lease.renew());
      assertEquals(0, store.usage().leasedBlocks());
      for (int i = 0; i < 60; i++) {
        Fixture.save(namespace, Fixture.keys(manifest, 2000 + i, 8));
      }
      assertEquals(8, Fixture.count(Fixture.load(namespace, keys), BlockStatus.MISS));
    }
  }

  @Test
  void beyondHalfOfTheSlotsALookupIsAHint() throws Exception {
    LocalConfig config = Fixture.config(directory, 1 << 20);
    try (LocalStore store = Fixture.open(config);
        NamespaceStore namespace = store.open(manifest)) {
      BlockKeys keys = Fixture.keys(manifest, 1, 90);
      Fixture.save(namespace, keys);
      try (BlockLease lease = namespace.lookup(keys, Deadline.never())) {
        assertTrue(lease.prefix() > 60);
        assertFalse(lease.held());
        assertEquals(0, store.usage().leasedBlocks());
        Blocks loaded = Fixture.frames(keys.slice(0, 1));
        namespace.load(lease, loaded, Deadline.never());
        assertEquals(BlockStatus.OK, loaded.status(0));
      }
    }
  }

  @Test
  void theTailOfAChainIsEvictedFirst() throws Exception {
    LocalConfig config = Fixture.config(directory, 1 << 20);
    try (LocalStore store = Fixture.open(config);
        NamespaceStore namespace = store.open(manifest)) {
      BlockKeys keys = Fixture.keys(manifest, 1, 60);
      Fixture.save(namespace, keys);
      for (int i = 0; i < 25; i++) {
        Fixture.save(namespace, Fixture.keys(manifest, 1000 + i, 2));
      }
      int evicted = Fixture.count(Fixture.load(namespace, keys), BlockStatus.MISS);
      assertTrue(0 < evicted && evicted < 60, evicted + " of 60");
      try (BlockLease lease = namespace.lookup(keys, Deadline.never())) {
        assertEquals(60 - evicted, lease.prefix());
      }
    }
  }

  @Test
  void tenTimesTheCapacityNeverPassesTheCapacity() throws Exception {
    long capacity = 2 << 20;
    try (LocalStore store = Fixture.open(Fixture.config(directory, capacity));
        NamespaceStore namespace = store.open(manifest)) {
      for (int prompt = 0; prompt < 90; prompt++) {
        Blocks saved = Fixture.save(namespace, Fixture.keys(manifest, prompt, 32));
        assertEquals(32, Fixture.count(saved, BlockStatus.OK));
        assertTrue(store.usage().occupiedBytes() <= capacity);
        assertFits(capacity);
      }
      assertTrue(store.usage().blocks() > 140, "" + store.usage());
    }
  }

  @Test
  void aFullStoreTakesNamespaceAfterNamespaceAndNeverPassesTheCapacity() throws Exception {
    long capacity = 6 << 20;
    try (LocalStore store = Fixture.open(Fixture.config(directory, capacity))) {
      try (NamespaceStore full = store.open(manifest)) {
        for (int prompt = 0; prompt < 40; prompt++) {
          Fixture.save(full, Fixture.keys(manifest, prompt, 32));
        }
      }
      for (int i = 0; i < 600; i++) { // an update of the weights each; their numbers fill pages
        NamespaceManifest next = Fixture.manifest("tenant-" + i, 1);
        try (NamespaceStore namespace = store.open(next)) {
          Blocks saved = Fixture.save(namespace, Fixture.keys(next, i, 2));
          assertEquals(2, Fixture.count(saved, BlockStatus.OK), "namespace " + i);
        }
        assertTrue(store.usage().occupiedBytes() <= capacity);
        if (i % 50 == 49) {
          assertFits(capacity);
        }
      }
    }
    try (LocalStore store = Fixture.open(Fixture.config(directory, capacity))) {
      assertTrue(store.usage().occupiedBytes() <= capacity);
    }
  }

  @Test
  void aNamespaceThatCanNeverFitCostsNoOther() throws Exception {
    NamespaceManifest large =
        Fixture.manifest("large", 1, Map.of("noise", "x".repeat(8 << 20))); // files of 8 MiB
    BlockKeys kept = Fixture.keys(manifest, 1, 3);
    try (LocalStore store = Fixture.open(Fixture.config(directory, 4 << 20))) {
      try (NamespaceStore closed = store.open(manifest)) {
        Fixture.save(closed, kept);
      }
      StoreException refused = assertThrows(StoreException.class, () -> store.open(large));
      assertEquals(StoreException.Kind.CAPACITY, refused.kind());
      try (NamespaceStore again = store.open(manifest)) {
        assertEquals(3, Fixture.count(Fixture.load(again, kept), BlockStatus.OK));
      }
    }
  }

  /** What the system says: allocated blocks, holes not counted. */
  private void assertFits(long capacity) throws Exception {
    Process du = new ProcessBuilder("du", "-a", "--block-size=1", directory.toString()).start();
    String files = new String(du.getInputStream().readAllBytes(), UTF_8);
    String all = files.lines().toList().getLast();
    assertTrue(Long.parseLong(all.substring(0, all.indexOf('\t'))) <= capacity, files);
  }

  @Test
  void aFlippedByteIsCorruptOnceAndNeverServed() throws Exception {
    BlockKeys keys = Fixture.keys(manifest, 1, 3);
    try (LocalStore store = Fixture.open(directory);
        NamespaceStore namespace = store.open(manifest)) {
      Fixture.save(namespace, keys);
    }
    byte[] first = new byte[8];
    MemorySegment.ofArray(first).copyFrom(Fixture.bytes(keys, 1).asSlice(0, 8));
    try (RandomAccessFile slab =
        new RandomAccessFile(directory.resolve("slab-8192.kv").toFile(), "rw")) {
      byte[] all = new byte[(int) slab.length()];
      slab.readFully(all);
      int at = 2 << 20;
      while (!java.util.Arrays.equals(all, at, at + 8, first, 0, 8)) {
        at += Layout.PAGE;
      }
      slab.seek(at + 100);
      slab.write(all[at + 100] ^ 1);
    }
    try (LocalStore store = Fixture.open(directory);
        NamespaceStore namespace = store.open(manifest)) {
      Blocks loaded = Fixture.load(namespace, keys);
      assertEquals(BlockStatus.OK, loaded.status(0));
      assertEquals(BlockStatus.CORRUPT, loaded.status(1));
      assertEquals(BlockStatus.MISS, Fixture.load(namespace, keys).status(1));
      assertEquals(StoreHealth.State.DEGRADED, store.health().state());
      assertEquals(3, Fixture.count(Fixture.save(namespace, keys), BlockStatus.OK));
      assertEquals(3, Fixture.count(Fixture.load(namespace, keys), BlockStatus.OK));
    }
    try (LocalStore store = Fixture.open(directory);
        NamespaceStore namespace = store.open(manifest)) {
      assertEquals(3, Fixture.count(Fixture.load(namespace, keys), BlockStatus.OK));
    }
  }

  @Test
  void directoriesAre0700AndFiles0600() throws Exception {
    Path inside = directory.resolve("store");
    try (LocalStore store = Fixture.open(inside);
        NamespaceStore namespace = store.open(manifest)) {
      Fixture.save(namespace, Fixture.keys(manifest, 1, 3));
      assertEquals(
          "rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(inside)));
      try (Stream<Path> files = Files.list(inside)) {
        for (Path file : files.toList()) {
          assertEquals(
              "rw-------",
              PosixFilePermissions.toString(Files.getPosixFilePermissions(file)),
              file.toString());
        }
      }
    }
  }

  @Test
  void withoutDirectIoTheStoreSaysFallbackAndWorks() throws Exception {
    BlockKeys keys = Fixture.keys(manifest, 1, 5);
    LocalConfig config = Fixture.config(directory, 64 << 20);
    try (LocalStore store =
            Opening.open(config, IoMemory.PLAIN, Fixture.LOG, Fixture.CLOSE, false);
        NamespaceStore namespace = store.open(manifest)) {
      assertEquals(StoreHealth.up("FALLBACK"), store.health());
      assertEquals(5, Fixture.count(Fixture.save(namespace, keys), BlockStatus.OK));
    }
    try (LocalStore store = Fixture.open(config);
        NamespaceStore namespace = store.open(manifest)) {
      assertEquals(5, Fixture.count(Fixture.load(namespace, keys), BlockStatus.OK));
    }
  }

  /** One record ends it at once, and a slice at a time its slots are free again. */
  @Test
  void aNamespaceThatEndsGivesItsSlotsBack() throws Exception {
    NamespaceManifest other = Fixture.manifest("other", 1);
    try (LocalStore store = Fixture.open(directory)) {
      Fixture.save(store.open(other), Fixture.keys(other, 1, 3));
      NamespaceStore namespace = store.open(manifest);
      for (int prompt = 0; prompt < 20; prompt++) {
        Fixture.save(namespace, Fixture.keys(manifest, prompt, 5));
      }
      Slab slab = store.slabs().get(manifest.payloadBytes(0));
      assertEquals(new Slab.Usage(100, 100 * manifest.payloadBytes(0), 0), usage(slab, manifest));
      assertEquals(
          BlockStatus.OK, slab.endNamespace(Namespaces.half(manifest.id()), Deadline.never()));
      SlotTable.Census census = slab.census();
      assertEquals(new SlotTable.Census(census.slots(), census.slots() - 3, 3, 0, 0, 0), census);
      assertEquals(new Slab.Usage(0, 0, 0), usage(slab, manifest));
      assertEquals(new Slab.Usage(3, 3 * other.payloadBytes(0), 0), usage(slab, other));
      Fixture.save(namespace, Fixture.keys(manifest, 1, 5));
      assertEquals(
          5, Fixture.count(Fixture.load(namespace, Fixture.keys(manifest, 1, 5)), BlockStatus.OK));
    }
  }

  private static Slab.Usage usage(Slab slab, NamespaceManifest manifest) {
    return slab.usage(Namespaces.half(manifest.id()));
  }

  @Test
  void anInterruptedThreadHarmsNobody() throws Exception {
    BlockKeys keys = Fixture.keys(manifest, 1, 5);
    try (LocalStore store = Fixture.open(directory);
        NamespaceStore namespace = store.open(manifest)) {
      Thread.currentThread().interrupt();
      Blocks saved = Fixture.save(namespace, keys);
      assertTrue(Thread.interrupted());
      assertEquals(5, Fixture.count(saved, BlockStatus.OK));
      Thread.currentThread().interrupt();
      Blocks loaded = Fixture.load(namespace, keys);
      assertTrue(Thread.interrupted());
      assertEquals(5, Fixture.count(loaded, BlockStatus.OK));
      assertEquals(StoreHealth.State.UP, store.health().state());
    }
  }

  @Test
  void aFrameThatItsOwnerHasFreedCostsItsBlockOnly() throws Exception {
    BlockKeys keys = Fixture.keys(manifest, 1, 3);
    try (LocalStore store = Fixture.open(directory);
        NamespaceStore namespace = store.open(manifest)) {
      Blocks filled = Fixture.filled(keys);
      List<Frame> frames = new ArrayList<>();
      try (Arena arena = Arena.ofShared()) {
        long bytes = Layout.slotBytes(keys.payloadBytes());
        Frame freed = new Frame(arena.allocate(bytes, Layout.PAGE), keys.payloadBytes());
        frames.addAll(List.of(filled.frame(0), freed, filled.frame(2)));
      }
      Blocks saved = new Blocks(keys, frames);
      namespace.save(saved, Deadline.after(Duration.ofSeconds(10)));
      assertEquals(BlockStatus.OK, saved.status(0));
      assertEquals(BlockStatus.IO, saved.status(1));
      assertEquals(BlockStatus.OK, saved.status(2));
      Blocks loaded = Fixture.load(namespace, keys);
      assertEquals(2, Fixture.count(loaded, BlockStatus.OK));
      assertEquals(BlockStatus.MISS, loaded.status(1));
      assertEquals(3, Fixture.count(Fixture.save(namespace, keys), BlockStatus.OK));
      assertEquals(StoreHealth.State.UP, store.health().state());
    }
  }

  @Test
  void aFileThatIsNamedLikeASlabAndCannotBeOneIsLeftAlone() throws Exception {
    Fixture.open(directory).close();
    Path other = Files.writeString(directory.resolve("slab-9999999999.kv"), "not ours");
    Fixture.open(directory).close();
    assertEquals("not ours", Files.readString(other));
  }

  @Test
  void aPassedDeadlineIsATimeoutAndPublishesNothing() throws Exception {
    BlockKeys keys = Fixture.keys(manifest, 1, 5);
    Deadline passed = Deadline.after(Duration.ofSeconds(-1));
    try (LocalStore store = Fixture.open(directory);
        NamespaceStore namespace = store.open(manifest)) {
      Blocks saved = Fixture.filled(keys);
      namespace.save(saved, passed);
      assertEquals(5, Fixture.count(saved, BlockStatus.TIMEOUT));
      assertEquals(5, Fixture.count(Fixture.load(namespace, keys), BlockStatus.MISS));
    }
  }

  @Test
  void whatComesAfterCloseEndsClosed() throws Exception {
    BlockKeys keys = Fixture.keys(manifest, 1, 2);
    LocalStore store = Fixture.open(directory);
    NamespaceStore namespace = store.open(manifest);
    Fixture.save(namespace, keys);
    BlockLease lease = namespace.lookup(keys, Deadline.never());
    store.close();
    store.close();
    assertFalse(lease.held());
    Blocks loaded = Fixture.frames(keys);
    namespace.load(lease, loaded, Deadline.never());
    assertEquals(2, Fixture.count(loaded, BlockStatus.CLOSED));
    assertEquals(2, Fixture.count(Fixture.save(namespace, keys), BlockStatus.CLOSED));
    assertEquals(StoreHealth.State.DOWN, store.health().state());
  }

  @Test
  void namespacesAreListedWithWhatIsNotIdentity() throws Exception {
    NamespaceManifest next =
        Fixture.manifest("acme", 2).withLabels(Map.of("model", "tiny")).superseding(manifest.id());
    try (LocalStore store = Fixture.open(directory)) {
      Fixture.save(store.open(manifest), Fixture.keys(manifest, 1, 3));
      store.open(next);
    }
    try (LocalStore store = Fixture.open(directory)) {
      List<NamespaceSummary> all = store.namespaces();
      assertEquals(2, all.size());
      for (NamespaceSummary summary : all) {
        boolean first = summary.id().equals(manifest.id());
        NamespaceManifest expected = first ? manifest : next;
        assertArrayEquals(expected.canonical(), summary.manifest());
        assertEquals(expected.labels(), summary.labels());
        assertEquals(first ? 3 : 0, summary.blocks());
        assertEquals(first ? 3 * 4096 : 0, summary.bytes());
        assertEquals(first ? Optional.of(next.id()) : Optional.empty(), summary.supersededBy());
        assertTrue(summary.configuration().isPresent());
        assertFalse(summary.lastUsed().isBefore(summary.created()));
      }
    }
  }

  @Test
  void aNewBlockSizeFindsRoomWhereNobodyUsesTheOldOne() throws Exception {
    NamespaceManifest larger = Fixture.manifest("acme", 3);
    try (LocalStore store = Fixture.open(Fixture.config(directory, 1 << 20))) {
      try (NamespaceStore old = store.open(manifest)) {
        for (int prompt = 0; prompt < 10; prompt++) {
          Fixture.save(old, Fixture.keys(manifest, prompt, 32));
        }
      }
      try (NamespaceStore namespace = store.open(larger)) {
        BlockKeys keys = Fixture.keys(larger, 1, 4);
        assertEquals(4, Fixture.count(Fixture.save(namespace, keys), BlockStatus.OK));
        assertTrue(store.usage().occupiedBytes() <= 1 << 20);
      }
    }
  }

  @Test
  void theFingerprintIsTheOneOfTheIdentityRules() {
    BlockKeys keys = Fixture.keys(manifest, 7, 3);
    byte[] hash = keys.hash(2);
    MemorySegment of = MemorySegment.ofArray(hash);
    Key key =
        new Key(
            Namespaces.half(manifest.id()),
            keys.group(),
            keys.shard(),
            of.get(Layout.U64, 0),
            of.get(Layout.U64, 8),
            of.get(Layout.U64, 16),
            of.get(Layout.U64, 24));
    assertEquals(Bits128.of(keys.fingerprint(2)), Namespaces.fingerprint(manifest.id(), key));
    long[] prints = Fingerprinter.of(keys);
    for (int i = 0; i < 3; i++) {
      assertEquals(Bits128.of(keys.fingerprint(i)), new Bits128(prints[2 * i], prints[2 * i + 1]));
    }
  }
}
