package io.kvasir.plugin.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.store.NamespaceStore;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How namespaces and block sizes of one directory share it. */
class SharedDirectoryTest {
  private static final long CAPACITY = 8 << 20;

  @TempDir private Path directory;
  private final NamespaceManifest small = Fixture.manifest("acme", 1); // slots of 8 KiB
  private final NamespaceManifest large = Fixture.manifest("acme", 3); // of 16 KiB

  @Test
  void aSizeThatFillsTheStoreLeavesTheOtherItsShare() throws Exception {
    try (LocalStore store = Fixture.open(Fixture.config(directory, CAPACITY));
        NamespaceStore first = store.open(small);
        NamespaceStore second = store.open(large)) {
      fill(first, small, 0, 300);
      fill(second, large, 0, 300);
      long smallSlots = slots(store, small);
      long largeSlots = slots(store, large);
      assertEquals(1, (double) smallSlots / largeSlots, 0.25, smallSlots + " and " + largeSlots);
      assertTrue(store.usage().occupiedBytes() > CAPACITY * 3 / 4, "" + store.usage());
    }
  }

  @Test
  void aSizeThatIsAloneTakesAllOfIt() throws Exception {
    try (LocalStore store = Fixture.open(Fixture.config(directory, CAPACITY));
        NamespaceStore only = store.open(small)) {
      fill(only, small, 0, 300);
      assertTrue(store.usage().occupiedBytes() > CAPACITY * 9 / 10, "" + store.usage());
    }
  }

  @Test
  void theSizeThatWasUsedLongestAgoIsGivenUpFirst() throws Exception {
    for (String lastUsed : List.of("9999-12-31T00:00:00Z", "1970-01-01T00:00:00Z")) {
      Path folder = Files.createDirectory(directory.resolve(lastUsed.substring(0, 4)));
      LocalConfig config = Fixture.config(folder, CAPACITY);
      BlockKeys smallKeys = Fixture.keys(small, 1, 2);
      try (LocalStore store = Fixture.open(config)) {
        try (NamespaceStore first = store.open(small);
            NamespaceStore second = store.open(large)) {
          fill(second, large, 0, 300);
          fill(first, small, 2, 300);
          Fixture.save(first, smallKeys);
        }
        stamp(folder, small, lastUsed);
        NamespaceManifest third = Fixture.manifest("acme", 40); // of 164 KiB: no room for 8
        try (NamespaceStore opened = store.open(third)) {
          assertEquals(
              2, Fixture.count(Fixture.save(opened, Fixture.keys(third, 1, 2)), BlockStatus.OK));
        }
        boolean kept = lastUsed.startsWith("9999"); // a clock that went wrong costs the order only
        assertEquals(kept, Files.exists(folder.resolve("slab-8192.kv")), lastUsed);
        assertEquals(!kept, Files.exists(folder.resolve("slab-16384.kv")), lastUsed);
        try (NamespaceStore first = store.open(small)) {
          BlockStatus expected = kept ? BlockStatus.OK : BlockStatus.MISS;
          assertEquals(2, Fixture.count(Fixture.load(first, smallKeys), expected), lastUsed);
        }
      }
    }
  }

  @Test
  void ofVeryManyNamespacesThoseThatHoldNothingAreRemovedTheOldestFirst() throws Exception {
    BlockKeys keys = Fixture.keys(small, 1, 2);
    try (LocalStore store = Fixture.open(Fixture.config(directory, 64 << 20))) {
      try (NamespaceStore full = store.open(small)) {
        Fixture.save(full, keys);
      }
      for (int i = 0; i < 999; i++) {
        store.open(Fixture.manifest("tenant-" + i, 1)).close();
      }
      stamp(directory, Fixture.manifest("tenant-500", 1), "1970-01-01T00:00:00Z");
      stamp(directory, Fixture.manifest("tenant-0", 1), "9999-12-31T00:00:00Z");
      assertEquals(1000, store.namespaces().size());
      store.open(Fixture.manifest("one-more", 1)).close();
      assertEquals(900, store.namespaces().size());
      List<String> left = store.namespaces().stream().map(n -> n.id().hex()).toList();
      assertTrue(left.contains(small.id().hex()), "it holds blocks");
      assertTrue(left.contains(Fixture.manifest("tenant-0", 1).id().hex()));
      assertTrue(left.contains(Fixture.manifest("tenant-998", 1).id().hex()));
      assertFalse(left.contains(Fixture.manifest("tenant-500", 1).id().hex()));
      try (NamespaceStore full = store.open(small)) {
        assertEquals(2, Fixture.count(Fixture.load(full, keys), BlockStatus.OK));
      }
    }
  }

  @Test
  void aSizeThatIsBusyKeepsNoOtherFromGrowing() throws Exception {
    BlockKeys keys = Fixture.keys(large, 1, 200);
    try (LocalStore store = Fixture.open(Fixture.config(directory, 64 << 20));
        NamespaceStore few = store.open(small);
        NamespaceStore many = store.open(large)) {
      Fixture.save(few, Fixture.keys(small, 1, 2));
      ReentrantLock busy = lock(store.slabs().get(small.payloadBytes(0)));
      busy.lock();
      try {
        var saved = CompletableFuture.supplyAsync(() -> Fixture.save(many, keys));
        assertEquals(200, Fixture.count(saved.get(60, TimeUnit.SECONDS), BlockStatus.OK));
      } finally {
        busy.unlock();
      }
    }
  }

  private static ReentrantLock lock(Slab slab) throws ReflectiveOperationException {
    Field writer = Slab.class.getDeclaredField("writer");
    writer.setAccessible(true);
    return ((SlabWriter) writer.get(slab)).lock;
  }

  private static void fill(NamespaceStore namespace, NamespaceManifest manifest, int from, int to) {
    for (int prompt = from; prompt < to; prompt++) {
      Fixture.save(namespace, Fixture.keys(manifest, prompt, 5));
    }
  }

  private static int slots(LocalStore store, NamespaceManifest manifest) {
    return store.slabs().get(manifest.payloadBytes(0)).census().slots();
  }

  /** Writes another time of last use into the record of a namespace. */
  private static void stamp(Path folder, NamespaceManifest manifest, String lastUsed)
      throws IOException {
    Path record = folder.resolve("ns-" + manifest.id().hex() + ".record");
    String escaped = lastUsed.replace(":", "\\:");
    String text =
        Pattern.compile("^lastUsed=.*$", Pattern.MULTILINE)
            .matcher(Files.readString(record))
            .replaceAll(java.util.regex.Matcher.quoteReplacement("lastUsed=" + escaped));
    Files.writeString(record, text);
  }
}
