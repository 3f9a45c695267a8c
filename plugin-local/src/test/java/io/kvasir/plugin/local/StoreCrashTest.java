package io.kvasir.plugin.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.Deadline;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.store.Blocks;
import io.kvasir.api.store.NamespaceStore;
import io.kvasir.api.store.StoreException;
import java.io.IOException;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Crashes of a whole store: its first file, manifests, slab files that appear, namespaces that go.
 */
class StoreCrashTest {
  private static final int HISTORIES = Boolean.getBoolean("kvasir.soak") ? 20_000 : 300;
  private static final List<NamespaceManifest> MANIFESTS =
      List.of(Fixture.manifest("a", 1), Fixture.manifest("b", 1), Fixture.manifest("a", 2));
  private static final List<List<BlockKeys>> KEYS =
      MANIFESTS.stream()
          .map(manifest -> List.of(Fixture.keys(manifest, 1, 3), Fixture.keys(manifest, 2, 3)))
          .toList();

  @Test
  void everyCrashLeavesAStoreThatOpens() {
    long seed = Long.getLong("kvasir.seed", System.nanoTime());
    int crashes = 0;
    for (int i = 0; i < HISTORIES; i++) {
      try {
        crashes += history(seed + i, Set.of());
      } catch (Exception | AssertionError e) {
        throw new AssertionError("-Dkvasir.seed=" + (seed + i), e);
      }
    }
    System.out.println(crashes + " crashes of a store from seed " + seed);
  }

  @Test
  void aDirectoryThatIsNotFlushedIsNoticed() {
    for (int i = 0; i < HISTORIES; i++) {
      try {
        history(i, EnumSet.of(CrashDisk.Lie.NO_DIRECTORY_FLUSH));
      } catch (Exception | AssertionError e) {
        return;
      }
    }
    throw new AssertionError("nobody noticed");
  }

  private static int history(long seed, Set<CrashDisk.Lie> lies) throws Exception {
    Random random = new Random(seed);
    CrashDisk disk = new CrashDisk(random, lies);
    Map<BlockKeys, Boolean> there = new HashMap<>();
    for (int life = 0; life < 5; life++) {
      disk.crashAfter(1 + random.nextInt(120), () -> {});
      try {
        life(disk, random, there);
      } catch (IOException | StoreException e) {
        assertTrue(disk.isOff(), () -> "failed without a crash: " + e);
      }
      disk.crash();
      if (random.nextInt(3) == 0) {
        disk.kill();
      } else {
        disk.losePower();
      }
    }
    try (LocalStore store = Fixture.open(disk, Durability.BATCH)) {
      verify(disk, store, there);
    }
    return 5;
  }

  private static void life(CrashDisk disk, Random random, Map<BlockKeys, Boolean> there)
      throws Exception {
    try (LocalStore store = Fixture.open(disk, Durability.BATCH)) {
      verify(disk, store, there);
      while (!disk.isOff()) {
        int which = random.nextInt(MANIFESTS.size());
        if (random.nextInt(6) == 0) {
          KEYS.get(which).forEach(there::remove);
          store.remove(MANIFESTS.get(which).id(), Deadline.never());
          KEYS.get(which).forEach(keys -> there.put(keys, false));
        } else {
          save(store, which, random, there);
        }
      }
    }
  }

  private static void save(
      LocalStore store, int which, Random random, Map<BlockKeys, Boolean> there)
      throws StoreException {
    BlockKeys keys = KEYS.get(which).get(random.nextInt(2));
    if (Boolean.FALSE.equals(there.get(keys))) {
      there.remove(keys); // may appear from now on
    }
    NamespaceStore namespace = store.open(MANIFESTS.get(which));
    Blocks saved = Fixture.save(namespace, keys);
    if (Fixture.count(saved, BlockStatus.OK) == keys.count()) {
      there.put(keys, true);
    }
  }

  private static void verify(CrashDisk disk, LocalStore store, Map<BlockKeys, Boolean> there)
      throws Exception {
    for (Map.Entry<BlockKeys, Boolean> known : Map.copyOf(there).entrySet()) {
      BlockKeys keys = known.getKey();
      Blocks loaded = Fixture.load(store.open(keys.namespace()), keys);
      if (disk.isOff()) {
        throw new IOException("crashed while verifying");
      }
      if (known.getValue()) {
        assertEquals(keys.count(), Fixture.count(loaded, BlockStatus.OK), "LOST " + loaded);
      } else {
        assertEquals(keys.count(), Fixture.count(loaded, BlockStatus.MISS), "BACK " + loaded);
      }
    }
  }
}
