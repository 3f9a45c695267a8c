package io.kvasir.plugin.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.store.Blocks;
import io.kvasir.api.store.NamespaceStore;
import io.kvasir.api.store.StoreException;
import io.kvasir.api.store.StoreHealth;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Every write and every flush of a short life fails once: nothing acknowledged is lost, nothing
 * wrong is served.
 */
class FaultTest {
  private static final int PROMPTS = 24;
  private static final NamespaceManifest MANIFEST = Fixture.manifest("acme", 1);

  @ParameterizedTest
  @CsvSource({
    "No space left on device, false, false",
    "No space left on device, false, true",
    "Input/output error, false, false",
    "Input/output error, false, true",
    "Input/output error, true, false",
    "Input/output error, true, true",
    "Read-only file system, false, true",
  })
  void aFailureAnywhereHarmsNothing(String error, boolean flushes, boolean forEver)
      throws Exception {
    int at = 0;
    while (life(at, error, flushes, forEver)) {
      at++;
    }
    assertTrue(at > 20, at + " places");
  }

  @Test
  void aReadOnlyFileSystemIsRefusedByName() throws Exception {
    CrashDisk disk = new CrashDisk(new Random(1), Set.of());
    try (LocalStore store = Fixture.open(disk, Durability.BATCH);
        NamespaceStore namespace = store.open(MANIFEST)) {
      Fixture.save(namespace, Fixture.keys(MANIFEST, 1, 1));
    }
    FaultyDirectory readOnly = new FaultyDirectory(disk);
    readOnly.failAfter(0, false, true, "Read-only file system");
    IOException thrown =
        assertThrows(IOException.class, () -> Fixture.open(readOnly, Durability.BATCH).close());
    assertEquals(
        "store directory x: its file system is read-only; make it writable, or configure another"
            + " directory",
        Failures.of(thrown, "store directory x").getMessage());
    try (LocalStore store = Fixture.open(disk, Durability.BATCH);
        NamespaceStore namespace = store.open(MANIFEST)) {
      BlockKeys keys = Fixture.keys(MANIFEST, 1, 1);
      assertEquals(BlockStatus.OK, Fixture.load(namespace, keys).status(0), "and is as it was");
    }
  }

  @Test
  void onAFullDiskWhatIsThereIsReadAndNothingNewIsOpened() throws Exception {
    NamespaceManifest next = Fixture.manifest("acme", 2).superseding(MANIFEST.id());
    BlockKeys keys = Fixture.keys(MANIFEST, 1, 3);
    FaultyDirectory faulty = new FaultyDirectory(new CrashDisk(new Random(1), Set.of()));
    try (LocalStore store = Fixture.open(faulty, Durability.BATCH)) {
      Fixture.save(store.open(MANIFEST), keys);
      store.open(next).close();
    }
    try (LocalStore store = Fixture.open(faulty, Durability.BATCH)) {
      faulty.failAfter(0, false, true, "No space left on device");
      try (NamespaceStore there = store.open(MANIFEST);
          NamespaceStore successor = store.open(next)) {
        assertTrue(faulty.hasFailed());
        assertEquals(3, Fixture.count(Fixture.load(there, keys), BlockStatus.OK));
        assertEquals(BlockStatus.MISS, Fixture.load(successor, Fixture.keys(next, 1, 1)).status(0));
      }
      StoreException full =
          assertThrows(StoreException.class, () -> store.open(Fixture.manifest("other", 1)));
      assertEquals(StoreException.Kind.CAPACITY, full.kind());
      faulty.failAfter(0, false, true, "Input/output error");
      StoreException broken = assertThrows(StoreException.class, () -> store.open(MANIFEST));
      assertEquals(StoreException.Kind.IO, broken.kind());
      faulty.failAfter(Long.MAX_VALUE, false, false, "");
    }
  }

  /** Giving up empty namespaces is housekeeping: what is there must still be opened and read. */
  @Test
  void manyNamespacesKeepNoneOfAStoreThatOnlyReadsFromBeingOpened() throws Exception {
    FaultyDirectory faulty = new FaultyDirectory(new MemoryDirectory());
    BlockKeys keys = Fixture.keys(MANIFEST, 1, 3);
    try (LocalStore store = Fixture.open(faulty, Durability.BATCH)) {
      NamespaceStore first = store.open(MANIFEST);
      Fixture.save(first, keys);
      faulty.failAfter(0, true, false, "Input/output error");
      assertEquals(BlockStatus.IO, Fixture.save(first, Fixture.keys(MANIFEST, 2, 1)).status(0));
      first.close();
      for (int i = 0; i <= 1000; i++) {
        store.open(Fixture.manifest("tenant-" + i, 1)).close();
      }
      try (NamespaceStore again = store.open(MANIFEST)) {
        assertEquals(3, Fixture.count(Fixture.load(again, keys), BlockStatus.OK));
      }
    }
  }

  /** One life in which operation {@code at} fails; false if it has fewer. */
  private boolean life(int at, String error, boolean flushes, boolean forEver) throws Exception {
    CrashDisk disk = new CrashDisk(new Random(at), Set.of());
    FaultyDirectory faulty = new FaultyDirectory(disk);
    faulty.failAfter(at, flushes, forEver, error);
    Map<Integer, BlockKeys> acknowledged = new HashMap<>();
    List<BlockStatus> statuses = new ArrayList<>();
    boolean ended = false;
    try (LocalStore store = Fixture.open(faulty, Durability.BATCH)) {
      try (NamespaceStore namespace = store.open(MANIFEST)) {
        for (int prompt = 0; prompt < PROMPTS; prompt++) {
          BlockKeys keys = Fixture.keys(MANIFEST, prompt, 1);
          Blocks saved = Fixture.save(namespace, keys);
          statuses.add(saved.status(0));
          if (saved.status(0) == BlockStatus.OK) {
            acknowledged.put(prompt, keys);
          }
          readAll(namespace, acknowledged, faulty.hasFailed() && !flushes);
        }
        boolean readsOnly = statuses.getLast() != BlockStatus.OK && !error.startsWith("No space");
        if (readsOnly) {
          assertEquals(StoreHealth.State.DEGRADED, store.health().state());
        }
      }
      ended = true;
    } catch (IOException | StoreException e) {
      assertTrue(faulty.hasFailed(), () -> "at " + at + ": " + e);
    }
    assertTrue(ended || faulty.hasFailed());
    if (error.startsWith("No space")) {
      assertTrue(Set.of(BlockStatus.OK, BlockStatus.CAPACITY).containsAll(statuses), "" + statuses);
    }
    disk.losePower();
    reopened(disk, acknowledged, at);
    return faulty.hasFailed();
  }

  /** Reads go on, whatever happened; a file that could not grow may have evicted. */
  private static void readAll(
      NamespaceStore namespace, Map<Integer, BlockKeys> acknowledged, boolean mayHaveEvicted)
      throws StoreException {
    for (BlockKeys known : List.copyOf(acknowledged.values())) {
      BlockStatus status = Fixture.load(namespace, known).status(0);
      if (status == BlockStatus.MISS && mayHaveEvicted) {
        acknowledged.values().remove(known);
      } else {
        assertEquals(BlockStatus.OK, status);
      }
    }
  }

  private static void reopened(CrashDisk disk, Map<Integer, BlockKeys> acknowledged, int at)
      throws Exception {
    try (LocalStore store = Fixture.open(disk, Durability.BATCH);
        NamespaceStore namespace = store.open(MANIFEST)) {
      for (BlockKeys keys : acknowledged.values()) {
        Blocks loaded = Fixture.load(namespace, keys);
        assertEquals(BlockStatus.OK, loaded.status(0), "at " + at);
        assertTrue(Fixture.holdsItsBytes(loaded, 0));
      }
      for (int prompt = 0; prompt < PROMPTS; prompt++) { // one that failed is whole or not there
        BlockStatus status = Fixture.load(namespace, Fixture.keys(MANIFEST, prompt, 1)).status(0);
        assertTrue(
            status == BlockStatus.OK || status == BlockStatus.MISS,
            "at " + at + ": prompt " + prompt + " is " + status);
      }
      Blocks saved = Fixture.save(namespace, Fixture.keys(MANIFEST, 99, 1));
      assertEquals(BlockStatus.OK, saved.status(0), "at " + at);
      assertEquals(StoreHealth.State.UP, store.health().state());
    }
  }
}
