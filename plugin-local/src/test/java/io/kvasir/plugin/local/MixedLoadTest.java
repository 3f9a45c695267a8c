package io.kvasir.plugin.local;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.Deadline;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.store.BlockLease;
import io.kvasir.api.store.Blocks;
import io.kvasir.api.store.Frame;
import io.kvasir.api.store.NamespaceStore;
import io.kvasir.conformance.Footprint;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Scanner;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Everything at once for a long time, far over the capacity: saves, loads, removals, two block
 * sizes that share the room, the scrub beside them.
 */
class MixedLoadTest {
  private static final long CAPACITY = 48 << 20;
  private static final Duration LASTS =
      Duration.ofSeconds(Boolean.getBoolean("kvasir.soak") ? 1800 : 60);
  private static final int BATCH = 8;
  private static final int PROMPTS = 2000; // 2000 × 8 blocks of 8 or 20 KiB: 5 times the capacity
  private static final long SLACK = 48 << 20;

  private final NamespaceManifest small = Fixture.manifest("acme", 1);
  private final NamespaceManifest large = Fixture.manifest("globex", 4);
  private final Queue<Throwable> thrown = new ConcurrentLinkedQueue<>();

  @Test
  void evictionAtFullSpeedLeavesNothingBehind(@TempDir Path directory) throws Exception {
    LocalConfig config = Fixture.config(directory, CAPACITY);
    long startNanos = System.nanoTime();
    Deadline end = Deadline.after(LASTS);
    try (LocalStore store = Fixture.open(config);
        NamespaceStore few = store.open(small);
        NamespaceStore many = store.open(large)) {
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        threads.add(start(few, small, end, i));
        threads.add(start(many, large, end, 3 + i));
      }
      Scrub scrub = new Scrub(store.slabs().all(), 16 << 20);
      long memoryBefore = 0;
      while (!end.expired()) {
        assertTrue(occupied(directory) <= CAPACITY, "du says " + occupied(directory));
        assertTrue(store.usage().occupiedBytes() <= CAPACITY, "" + store.usage());
        scrub.goOn(System.nanoTime());
        Thread.sleep(500);
        if (memoryBefore == 0 && System.nanoTime() - startNanos > LASTS.toNanos() / 3) {
          memoryBefore = Footprint.now().bytes();
        }
      }
      for (Thread thread : threads) {
        thread.join();
      }
      for (Throwable e : thrown) {
        throw new AssertionError(e);
      }
      long grown = Footprint.now().bytes() - memoryBefore;
      assertTrue(grown < SLACK, "memory grew by " + grown);
      nothingIsHeld(store);
    }
  }

  private static void nothingIsHeld(LocalStore store) throws Exception {
    Map<String, Long> metrics = store.metrics();
    assertEquals(0, metrics.get("pinned.blocks"), "" + metrics);
    assertEquals(0, metrics.get("queue.blocks"), "" + metrics);
    assertEquals(0, metrics.get("blocks.quarantined"), "" + metrics);
    assertEquals(0, metrics.get("mode.readonly"), "" + metrics);
    assertTrue(metrics.get("blocks.evicted") > 0, "" + metrics);
    assertTrue(metrics.get("blocks.out") > 0, "" + metrics);
    assertTrue(metrics.get("blocks.in.bytes") > 10 * CAPACITY, "" + metrics);
    for (Slab slab : store.slabs().all()) {
      SlotTable.Census census = slab.census();
      assertEquals(0, census.taken(), "" + census);
      assertEquals(census.slots(), census.free() + census.live() + census.ending(), "" + census);
    }
  }

  private Thread start(
      NamespaceStore namespace, NamespaceManifest manifest, Deadline end, int seed) {
    return Thread.ofPlatform()
        .start(
            () -> {
              Random random = new Random(seed);
              try (Arena arena = Arena.ofShared()) {
                List<Frame> frames = frames(arena, manifest.payloadBytes(0));
                while (!end.expired() && thrown.isEmpty()) {
                  step(namespace, manifest, frames, random);
                }
              } catch (Throwable e) {
                thrown.add(e);
              }
            });
  }

  private static List<Frame> frames(Arena arena, long payload) {
    List<Frame> frames = new ArrayList<>();
    for (int i = 0; i < BATCH; i++) {
      frames.add(new Frame(arena.allocate(Layout.slotBytes(payload), Layout.PAGE), payload));
    }
    return frames;
  }

  private static void step(
      NamespaceStore namespace, NamespaceManifest manifest, List<Frame> frames, Random random)
      throws Exception {
    int prompt = (int) Math.abs(random.nextGaussian() * PROMPTS / 4);
    BlockKeys keys = Fixture.keys(manifest, prompt, 1 + random.nextInt(BATCH));
    Blocks blocks = new Blocks(keys, frames.subList(0, keys.count()));
    switch (random.nextInt(20)) {
      case 0 -> namespace.remove(keys, Deadline.never());
      case 1, 2, 3, 4, 5, 6, 7, 8 -> save(namespace, blocks);
      default -> {
        try (BlockLease lease = namespace.lookup(keys, Deadline.never())) {
          namespace.load(lease, blocks, Deadline.never());
          check(blocks);
        }
      }
    }
  }

  private static void save(NamespaceStore namespace, Blocks blocks) {
    for (int i = 0; i < blocks.count(); i++) {
      fill(blocks.frame(i).payload(), blocks.keys(), i);
    }
    namespace.save(blocks, Deadline.never());
    int stored = Fixture.count(blocks, BlockStatus.OK);
    assertEquals(blocks.count(), stored + Fixture.count(blocks, BlockStatus.CAPACITY), "" + blocks);
  }

  private static void check(Blocks blocks) {
    for (int i = 0; i < blocks.count(); i++) {
      if (blocks.status(i) == BlockStatus.OK) {
        assertTrue(isRight(blocks.frame(i).payload(), blocks.keys(), i), blocks + " " + i);
      } else {
        assertEquals(BlockStatus.MISS, blocks.status(i), "" + blocks.cause(i));
      }
    }
  }

  /** Cheap bytes that depend on key and place. */
  private static void fill(MemorySegment payload, BlockKeys keys, int block) {
    long seed = seed(keys, block);
    for (long at = 0; at < payload.byteSize(); at += 8) {
      payload.set(ValueLayout.JAVA_LONG, at, seed + at);
    }
  }

  private static boolean isRight(MemorySegment payload, BlockKeys keys, int block) {
    long seed = seed(keys, block);
    for (long at = 0; at < payload.byteSize(); at += 8) {
      if (payload.get(ValueLayout.JAVA_LONG, at) != seed + at) {
        return false;
      }
    }
    return true;
  }

  private static long seed(BlockKeys keys, int block) {
    return MemorySegment.ofArray(keys.hash(block)).get(ValueLayout.JAVA_LONG_UNALIGNED, 0);
  }

  private static long occupied(Path directory) throws IOException {
    Process du = new ProcessBuilder("du", "-s", "--block-size=1", directory.toString()).start();
    try (Scanner said = new Scanner(du.getInputStream(), UTF_8)) {
      return said.nextLong();
    }
  }
}
