package io.kvasir.plugin.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.Deadline;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.store.BlockLease;
import io.kvasir.api.store.Blocks;
import io.kvasir.api.store.NamespaceStore;
import io.kvasir.api.store.StoreHealth;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a store counts, refuses and finds by itself. */
class UpkeepTest {
  private static final int SECOND = 1_000_000_000;

  @TempDir private Path directory;
  private final NamespaceManifest manifest = Fixture.manifest("acme", 1);

  @Test
  void whatIsCountedIsWhatHappened() throws Exception {
    BlockKeys keys = Fixture.keys(manifest, 1, 4);
    try (LocalStore store = Fixture.open(directory);
        NamespaceStore namespace = store.open(manifest)) {
      Fixture.save(namespace, keys);
      Fixture.save(namespace, keys); // there already
      Fixture.load(namespace, keys);
      Fixture.load(namespace, Fixture.keys(manifest, 2, 3));
      try (BlockLease lease = namespace.lookup(keys, Deadline.never())) {
        assertEquals(4, store.metrics().get("pinned.blocks"));
        namespace.remove(keys, Deadline.never());
        namespace.load(lease, Fixture.frames(keys), Deadline.never());
      }
      Map<String, Long> metrics = store.metrics();
      assertEquals(4, metrics.get("blocks.in"));
      assertEquals(4 * keys.payloadBytes(), metrics.get("blocks.in.bytes"));
      assertEquals(4, metrics.get("blocks.out"));
      assertEquals(4 * keys.payloadBytes(), metrics.get("blocks.out.bytes"));
      assertEquals(3, metrics.get("missed.absent"));
      assertEquals(4, metrics.get("missed.lease"));
      assertEquals(0, metrics.get("queue.blocks"));
      assertEquals(0, metrics.get("pinned.blocks"));
      assertEquals(0, metrics.get("stored.blocks"));
      assertEquals(1, metrics.get("mode.direct"));
      assertEquals(0, metrics.get("mode.readonly"));
      assertTrue(metrics.get("flushes") > 0);
      assertTrue(metrics.get("read.p50.micros") <= metrics.get("read.p99.micros"));
      assertTrue(metrics.get("disk.bytes") <= metrics.get("disk.capacity.bytes"));
    }
  }

  @Test
  void evictionsAreCounted() throws Exception {
    try (LocalStore store = Fixture.open(Fixture.config(directory, 4 << 20));
        NamespaceStore namespace = store.open(manifest)) {
      for (int prompt = 0; prompt < 200; prompt++) {
        Fixture.save(namespace, Fixture.keys(manifest, prompt, 5));
      }
      Map<String, Long> metrics = store.metrics();
      assertEquals(1000, metrics.get("blocks.in"));
      assertEquals(1000 - metrics.get("stored.blocks"), metrics.get("blocks.evicted"));
      assertEquals(
          metrics.get("blocks.evicted") * Fixture.keys(manifest, 0, 1).payloadBytes(),
          metrics.get("blocks.evicted.bytes"));
      assertTrue(metrics.get("blocks.evicted") > 0);
    }
  }

  @Test
  void onSecondSightABlockIsStoredWhenItIsSavedAgain() throws Exception {
    BlockKeys keys = Fixture.keys(manifest, 1, 5);
    LocalConfig config =
        Fixture.config(directory, 64 << 20, Durability.BATCH, Admission.SECOND_SIGHT);
    try (LocalStore store = Fixture.open(config);
        NamespaceStore namespace = store.open(manifest)) {
      assertEquals(5, Fixture.count(Fixture.save(namespace, keys), BlockStatus.CAPACITY));
      assertEquals(5, Fixture.count(Fixture.load(namespace, keys), BlockStatus.MISS));
      assertEquals(5, Fixture.count(Fixture.save(namespace, keys), BlockStatus.OK));
      assertEquals(5, Fixture.count(Fixture.load(namespace, keys), BlockStatus.OK));
      assertEquals(5, store.metrics().get("blocks.unadmitted"));
      assertEquals(StoreHealth.State.UP, store.health().state());
    }
  }

  @Test
  void theScrubFindsADamagedBlockBeforeAnybodyAsksForIt() throws Exception {
    BlockKeys keys = Fixture.keys(manifest, 1, 5);
    LocalConfig config = Fixture.config(directory, 64 << 20);
    try (LocalStore store = Fixture.open(config);
        NamespaceStore namespace = store.open(manifest)) {
      Fixture.save(namespace, keys);
      damageOneBlock();
      Scrub scrub = new Scrub(store.slabs().all(), 1 << 20);
      scrub.goOn(0);
      assertEquals(0, store.metrics().get("scrub.blocks"), "no time has passed");
      scrub.goOn(SECOND);
      assertEquals(5, store.metrics().get("scrub.blocks"), "one pass, and no second");
      assertEquals(1, store.metrics().get("blocks.quarantined"));
      assertEquals(StoreHealth.State.DEGRADED, store.health().state());
      Blocks loaded = Fixture.load(namespace, keys);
      assertEquals(4, Fixture.count(loaded, BlockStatus.OK));
      assertEquals(1, Fixture.count(loaded, BlockStatus.MISS));
      scrub.goOn(2L * SECOND);
      assertEquals(9, store.metrics().get("scrub.blocks"));
    }
  }

  @Test
  void theScrubReadsNoMoreThanItsRate() throws Exception {
    try (LocalStore store = Fixture.open(directory);
        NamespaceStore namespace = store.open(manifest)) {
      Fixture.save(namespace, Fixture.keys(manifest, 1, 5));
      int slotBytes = (int) Layout.slotBytes(Fixture.keys(manifest, 1, 1).payloadBytes());
      Scrub scrub = new Scrub(store.slabs().all(), 2L * slotBytes); // two blocks a second
      for (int tenth = 0; tenth <= 100; tenth++) {
        scrub.goOn(tenth * (SECOND / 10L));
      }
      assertEquals(20, store.metrics().get("scrub.blocks"), 1);
      scrub.goOn(3600L * SECOND); // the machine slept: nothing is made good for
      assertEquals(22, store.metrics().get("scrub.blocks"), 1);
    }
  }

  /** One bit of the only slab file, where the first of the blocks lies. */
  private void damageOneBlock() throws IOException {
    Path slab;
    try (Stream<Path> files = Files.list(directory)) {
      List<Path> slabs = files.filter(file -> file.toString().endsWith(".kv")).toList();
      slab = slabs.getFirst();
    }
    try (FileChannel file =
        FileChannel.open(slab, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      long at = Layout.SLOT_ALIGNMENT + 100;
      ByteBuffer one = ByteBuffer.allocate(1);
      file.read(one, at);
      one.put(0, (byte) (one.get(0) ^ 1)).rewind();
      file.write(one, at);
      file.force(true);
    }
  }
}
