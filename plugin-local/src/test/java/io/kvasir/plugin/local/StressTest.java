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
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Threads that write far more than fits, beside threads that read: nobody gets a wrong byte or an
 * exception.
 */
class StressTest {
  private static final NamespaceManifest MANIFEST = Fixture.manifest("acme", 1);
  private static final Duration LASTS =
      Duration.ofSeconds(Boolean.getBoolean("kvasir.soak") ? 60 : 2);
  private static final int PROMPTS = 80;
  private static final int BLOCKS = 8;

  @ParameterizedTest
  @EnumSource
  void evictionBesideReadersServesNoWrongByte(Durability durability, @TempDir Path directory)
      throws Exception {
    Queue<Throwable> thrown = new ConcurrentLinkedQueue<>();
    AtomicLong loads = new AtomicLong();
    AtomicLong hits = new AtomicLong();
    Deadline end = Deadline.after(LASTS);
    try (LocalStore store = Fixture.open(Fixture.config(directory, 2 << 20, durability))) {
      NamespaceStore namespace = store.open(MANIFEST);
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        int id = i;
        Random random = new Random(i);
        threads.add(
            Thread.ofPlatform()
                .start(
                    () -> {
                      try {
                        while (!end.expired()) {
                          int prompt = random.nextInt(PROMPTS);
                          BlockKeys keys =
                              Fixture.keys(MANIFEST, prompt, 1 + random.nextInt(BLOCKS));
                          if (id % 2 == 0) {
                            save(namespace, keys);
                          } else {
                            loads.addAndGet(keys.count());
                            hits.addAndGet(load(namespace, keys));
                          }
                          if (random.nextInt(100) == 0) {
                            namespace.remove(keys, Deadline.never());
                          }
                        }
                      } catch (Throwable e) {
                        thrown.add(e);
                      }
                    }));
      }
      for (Thread thread : threads) {
        thread.join();
      }
      for (Throwable e : thrown) {
        throw new AssertionError(e);
      }
      assertEquals(0, store.usage().leasedBlocks());
      assertTrue(store.usage().occupiedBytes() <= 2 << 20);
      assertTrue(hits.get() > 0 && hits.get() < loads.get(), hits + " of " + loads);
    }
  }

  private static void save(NamespaceStore namespace, BlockKeys keys) {
    Blocks saved = Fixture.save(namespace, keys);
    int stored = Fixture.count(saved, BlockStatus.OK);
    assertEquals(keys.count(), stored + Fixture.count(saved, BlockStatus.CAPACITY), "" + saved);
  }

  private static int load(NamespaceStore namespace, BlockKeys keys) throws Exception {
    Blocks blocks = Fixture.frames(keys);
    try (BlockLease lease = namespace.lookup(keys, Deadline.never())) {
      namespace.load(lease, blocks, Deadline.never());
    }
    int hits = 0;
    for (int i = 0; i < blocks.count(); i++) {
      if (blocks.status(i) == BlockStatus.OK) {
        assertTrue(Fixture.holdsItsBytes(blocks, i));
        hits++;
      } else {
        assertEquals(BlockStatus.MISS, blocks.status(i), () -> "" + blocks.cause(0));
      }
    }
    return hits;
  }
}
