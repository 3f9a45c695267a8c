package io.kvasir.plugin.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.Deadline;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.store.Blocks;
import io.kvasir.api.store.NamespaceStore;
import io.kvasir.api.store.StoreException;
import io.kvasir.api.store.StoreHealth;
import java.io.IOException;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Bits flipped anywhere: every block is there, or the store refuses with a message, or blocks are
 * missing and the health says so. Never a wrong byte, never a removed block, never an exception of
 * another kind.
 */
class DamageTest {
  private static final NamespaceManifest MANIFEST = Fixture.manifest("acme", 1);
  private static final NamespaceManifest REMOVED = Fixture.manifest("gone", 1);
  private static final int STEP = 97;
  private static final int PROMPTS = 30;
  private static final int RING = 16;
  private static final String SLAB = SlabFile.name(8192);
  private static final String CHECKPOINT = Checkpoint.name(8192);

  /** Where the slots of a ring of that size begin. */
  private static final long SLOTS = Layout.SLOT_ALIGNMENT;

  private static final MemoryDirectory SOUND = filled();

  private enum Outcome {
    WHOLE,
    REFUSED,
    DEGRADED
  }

  private static BlockKeys keys(NamespaceManifest manifest, int prompt) {
    return Fixture.keys(manifest, prompt + 1, 1);
  }

  private static boolean isRemoved(int prompt) {
    return prompt % 10 == 7;
  }

  private static LocalStore open(Directory directory) throws IOException, StoreException {
    return Fixture.open(directory, Durability.BATCH);
  }

  /** Checkpoints, and behind the last one puts, removals and the end of a namespace. */
  private static MemoryDirectory filled() {
    MemoryDirectory directory = new MemoryDirectory();
    try (LocalStore store = open(directory)) {
      NamespaceStore gone = store.open(REMOVED);
      NamespaceStore namespace = store.open(MANIFEST);
      for (int prompt = 0; prompt < PROMPTS; prompt++) {
        Fixture.save(namespace, keys(MANIFEST, prompt));
        if (prompt < 3) {
          Fixture.save(gone, keys(REMOVED, prompt));
        }
        if (isRemoved(prompt)) {
          namespace.remove(keys(MANIFEST, prompt), Deadline.never());
        }
      }
      store.remove(REMOVED.id(), Deadline.never());
    } catch (IOException | StoreException e) {
      throw new AssertionError(e);
    }
    return directory;
  }

  private static Outcome outcome(MemoryDirectory directory) throws IOException, StoreException {
    try (LocalStore store = open(directory)) {
      NamespaceStore namespace = store.open(MANIFEST);
      NamespaceStore again = store.open(REMOVED);
      int missing = 0;
      for (int prompt = 0; prompt < PROMPTS; prompt++) {
        Blocks loaded = Fixture.load(namespace, keys(MANIFEST, prompt));
        BlockStatus status = loaded.status(0);
        if (isRemoved(prompt)) {
          assertNotEquals(BlockStatus.OK, status, "removed prompt " + prompt + " came back");
        } else if (status == BlockStatus.OK) {
          assertTrue(Fixture.holdsItsBytes(loaded, 0), "wrong bytes");
        } else {
          assertTrue(Set.of(BlockStatus.MISS, BlockStatus.CORRUPT).contains(status), "" + status);
          missing++;
        }
        Blocks ended = Fixture.load(again, keys(REMOVED, prompt));
        assertNotEquals(BlockStatus.OK, ended.status(0), "the namespace came back");
      }
      StoreHealth health = store.health();
      assertTrue(
          missing == 0 || health.state() == StoreHealth.State.DEGRADED, missing + " missing");
      Blocks saved = Fixture.save(namespace, keys(MANIFEST, PROMPTS));
      assertEquals(BlockStatus.OK, saved.status(0));
      return missing == 0 ? Outcome.WHOLE : Outcome.DEGRADED;
    } catch (FormatError e) {
      assertTrue(e.getMessage().endsWith("nothing has been changed"), e.getMessage());
      return Outcome.REFUSED;
    } catch (StoreException e) {
      assertEquals(StoreException.Kind.MISMATCH, e.kind(), e.getMessage());
      return Outcome.REFUSED;
    }
  }

  /** Flips one bit at a time, and returns how the store took it. */
  private static Set<Outcome> flips(String name, long from, long to, int step) throws Exception {
    Map<Outcome, Integer> outcomes = new EnumMap<>(Outcome.class);
    for (long at = from; at < to; at += step) {
      MemoryDirectory damaged = SOUND.copy();
      damaged.flip(name, at, (int) (at % 8));
      try {
        outcomes.merge(outcome(damaged), 1, Integer::sum);
      } catch (IOException | RuntimeException | AssertionError e) {
        throw new AssertionError(name + " at " + at + ": " + e, e);
      }
    }
    System.out.println(name + " from " + from + " to " + to + ": " + outcomes);
    return outcomes.keySet();
  }

  @Test
  void aSoundStoreIsWhole() throws Exception {
    assertEquals(Outcome.WHOLE, outcome(SOUND.copy()));
    assertTrue(SOUND.names().contains(CHECKPOINT));
  }

  @Test
  void aHeaderPageMayBeDamagedAndNothingIsLost() throws Exception {
    assertEquals(EnumSet.of(Outcome.WHOLE), flips(SLAB, 0, Layout.HEADER_PAGES * 4096, STEP));
  }

  @Test
  void aLogPageMayBeDamagedAndTheHealthSaysWhatIsLost() throws Exception {
    Set<Outcome> outcomes = flips(SLAB, 2 * 4096, (2 + RING) * 4096, STEP);
    assertEquals(EnumSet.of(Outcome.WHOLE, Outcome.DEGRADED), outcomes);
  }

  @Test
  void aSlotMayBeDamagedAndItsBlockIsCorrupt() throws Exception {
    Set<Outcome> outcomes = flips(SLAB, SLOTS, SLOTS + 10 * 8192, STEP);
    assertEquals(EnumSet.of(Outcome.WHOLE, Outcome.DEGRADED), outcomes);
  }

  @Test
  void aDamagedCheckpointIsRefused() throws Exception {
    assertEquals(EnumSet.of(Outcome.REFUSED), flips(CHECKPOINT, 0, SOUND.size(CHECKPOINT), STEP));
  }

  @Test
  void smallFilesMayBeDamaged() throws Exception {
    for (String name : SOUND.names()) {
      if (!name.startsWith("slab-")) {
        Set<Outcome> outcomes = flips(name, 0, SOUND.size(name), 7);
        assertTrue(!outcomes.contains(Outcome.DEGRADED), name);
      }
    }
    String manifest = "ns-" + MANIFEST.id().hex() + ".json";
    assertEquals(EnumSet.of(Outcome.REFUSED), flips(manifest, 0, SOUND.size(manifest), 1));
  }

  /** The header that knew of the last growth is damaged; log and checkpoint know of its slots. */
  @Test
  void aDamagedHeaderIsWrittenAgain() throws Exception {
    MemoryDirectory damaged = SOUND.copy();
    int newest = SOUND.number(SLAB, 32) > SOUND.number(SLAB, 4096 + 32) ? 0 : 4096;
    long slots = SOUND.number(SLAB, newest + 28);
    damaged.flip(SLAB, newest + 100, 3);
    try (LocalStore store = open(damaged)) {
      assertEquals(StoreHealth.State.UP, store.health().state());
    }
    Header header;
    try (SlabFile file = SlabFile.open(damaged, Long.parseUnsignedLong(id(), 16), 8192)) {
      header = file.header();
    }
    assertTrue(header.slots() <= slots && header.slots() > SOUND.number(SLAB, 4096 - newest + 28));
    assertEquals(Outcome.WHOLE, outcome(damaged));
  }

  private static String id() throws IOException {
    return new String(SOUND.read("store"), java.nio.charset.StandardCharsets.US_ASCII)
        .lines()
        .toList()
        .get(1)
        .substring(3);
  }

  @Test
  void whatAnOpeningFoundLostIsSaidOnceAndSettled() throws Exception {
    MemoryDirectory damaged = SOUND.copy();
    damaged.cut(SLAB, SLOTS + 5 * 8192);
    try (LocalStore store = open(damaged)) {
      StoreHealth health = store.health();
      assertEquals(StoreHealth.State.DEGRADED, health.state());
      assertTrue(
          health.detail().matches("test: slab-8192.kv ends before [0-9]+ of its blocks, .*"),
          health.detail());
    }
    try (LocalStore store = open(damaged)) {
      assertEquals(StoreHealth.State.UP, store.health().state());
    }
  }

  @Test
  void aLostLogPageIsSaidOnceAndSettled() throws Exception {
    MemoryDirectory damaged = SOUND.copy();
    int last = 0; // the page of the namespace's end, and of the last removals, lies before it
    for (int page = 0; page < RING; page++) {
      int at = (2 + page) * 4096;
      if (SOUND.number(SLAB, at + 16) > SOUND.number(SLAB, (2 + last) * 4096 + 16)) {
        last = page;
      }
    }
    damaged.flip(SLAB, (2 + (last + RING - 1) % RING) * 4096L + 3000, 1);
    try (LocalStore store = open(damaged)) {
      StoreHealth health = store.health();
      assertEquals(StoreHealth.State.DEGRADED, health.state());
      assertTrue(
          health.detail().matches("test: pages of the log of slab-8192.kv are damaged; .*"),
          health.detail());
      assertEquals(0, store.usage().blocks());
    }
    try (LocalStore store = open(damaged)) {
      assertEquals(StoreHealth.State.UP, store.health().state());
      assertEquals(0, store.usage().blocks());
    }
  }
}
