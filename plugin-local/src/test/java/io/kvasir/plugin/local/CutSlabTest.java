package io.kvasir.plugin.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.ByteSize;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.store.DeviceMemory;
import io.kvasir.api.store.NamespaceStore;
import io.kvasir.api.store.Store;
import io.kvasir.api.store.StoreHealth;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Somebody cut a slab file: what lay behind the cut is gone for good, and nothing else suffers. */
class CutSlabTest {
  private static final NamespaceManifest MANIFEST = Fixture.manifest("acme", 1);
  private static final int OLD = 30;
  private static final int NEW = 5;

  @TempDir Path directory;

  @Test
  void blocksBehindTheCutDoNotComeBackWhenTheFileHasGrownAgain() throws Exception {
    save(0, OLD);
    cut();
    save(OLD, OLD + NEW);

    try (Store store = open();
        NamespaceStore namespace = store.open(MANIFEST)) {
      int found = 0;
      for (int prompt = 0; prompt < OLD + NEW; prompt++) {
        var loaded = Fixture.load(namespace, keys(prompt));
        assertEquals(0, Fixture.count(loaded, BlockStatus.CORRUPT), "prompt " + prompt);
        found += Fixture.count(loaded, BlockStatus.OK);
      }
      assertTrue(found >= NEW * 8, found + " blocks");
      assertTrue(found < (OLD + NEW) * 8, "nothing was cut off");
      assertEquals(StoreHealth.State.UP, store.health().state());
    }
  }

  private void save(int from, int to) throws Exception {
    try (Store store = open();
        NamespaceStore namespace = store.open(MANIFEST)) {
      for (int prompt = from; prompt < to; prompt++) {
        Fixture.save(namespace, keys(prompt));
      }
    }
  }

  /** A log that holds all puts, and steps of growth that reach over the cut at once. */
  private Store open() throws Exception {
    return Fixture.open(
        new LocalConfig(
            directory,
            new ByteSize(64 << 20),
            Durability.BATCH,
            new ByteSize(0),
            256,
            new ByteSize(4 << 20),
            Admission.ALL,
            new ByteSize(0),
            DeviceMemory.Way.AUTO));
  }

  private static BlockKeys keys(int prompt) {
    return Fixture.keys(MANIFEST, prompt + 1, 8);
  }

  private void cut() throws Exception {
    try (Stream<Path> files = Files.list(directory)) {
      Path slab = files.filter(f -> f.toString().endsWith(".kv")).findFirst().orElseThrow();
      try (RandomAccessFile file = new RandomAccessFile(slab.toFile(), "rw")) {
        file.seek(16);
        int slotBytes = Integer.reverseBytes(file.readInt());
        file.seek(40);
        long slots = Long.reverseBytes(file.readLong());
        file.setLength(slots + 20L * slotBytes);
      }
    }
  }
}
