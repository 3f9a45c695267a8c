package io.kvasir.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.Deadline;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.store.BlockLease;
import io.kvasir.api.store.Blocks;
import io.kvasir.api.store.NamespaceStore;
import io.kvasir.api.store.StoreException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** R-ATOM: a block is absent, or whole and never changed. */
public interface AtomicityRules extends StoreRules {
  @Test
  @Rule("R-ATOM-1")
  default void savedBlocksOfAnySizeLoadByteForByte() throws StoreException {
    StoreBench bench = bench();
    for (long bytes :
        new long[] {64, 192, 4096, 4160, bench.atMost(65_536 + 64), bench.atMost(1 << 20)}) {
      NamespaceManifest manifest = Manifests.of("size " + bytes, bytes);
      BlockKeys keys = Chains.keys(manifest, 1, 3);
      try (NamespaceStore namespace = bench.store().open(manifest)) {
        bench.save(namespace, keys);
        bench.hit(namespace, keys);
      }
      try (NamespaceStore namespace = bench.store().open(manifest)) {
        bench.hit(namespace, keys);
      }
    }
  }

  @Test
  @Rule("R-ATOM-2")
  default void existingBlockIsOkAndLeftUntouched() throws StoreException {
    StoreBench bench = bench();
    BlockKeys keys = Chains.keys(bench.manifest("team"), 1, 3);
    try (NamespaceStore namespace = bench.open("team")) {
      bench.save(namespace, keys);
      Blocks others = bench.filled(keys, i -> 4711);
      namespace.save(others, StoreBench.soon());
      StoreBench.all(BlockStatus.OK, others);
      bench.hit(namespace, keys);
    }
  }

  /** A batch may name a block twice, and may hold old and new ones. */
  @Test
  @Rule("R-ATOM-3")
  default void saveOfOldAndNewBlocksAddsTheNewOnes() throws StoreException {
    StoreBench bench = bench();
    BlockKeys keys = Chains.keys(bench.manifest("team"), 1, 12);
    try (NamespaceStore namespace = bench.open("team")) {
      bench.save(namespace, keys.slice(0, 6));
      bench.save(namespace, keys.slice(3, 9));
      bench.save(namespace, keys);
      bench.hit(namespace, keys);
    }
  }

  @Test
  @Rule("R-ATOM-4")
  default void saveThatItsDeadlineCutsOffLeavesEachBlockAbsentOrWhole() throws StoreException {
    StoreBench bench = bench();
    NamespaceManifest manifest = bench.manifest("team");
    try (NamespaceStore namespace = bench.open("team")) {
      for (int text = 0; text < 20; text++) {
        BlockKeys keys = Chains.keys(manifest, text, 8);
        Blocks blocks = bench.filled(keys, i -> StoreBench.number(keys, i));
        namespace.save(blocks, Deadline.after(Duration.ofNanos(20_000L << text % 8)));
        StoreBench.allHaveStatus(blocks);
        blocks(blocks, namespace, keys);
      }
    }
  }

  private void blocks(Blocks saved, NamespaceStore namespace, BlockKeys keys)
      throws StoreException {
    Blocks loaded = bench().load(namespace, keys); // compares what is OK
    for (int i = 0; i < saved.count(); i++) {
      if (saved.status(i) == BlockStatus.OK) {
        assertEquals(BlockStatus.OK, loaded.status(i), "block " + i + " was saved");
      }
    }
  }

  @Test
  @Rule("R-ATOM-5")
  default void framesAreNeitherReadNorWrittenAfterTheCallReturned()
      throws StoreException, InterruptedException {
    StoreBench bench = bench();
    BlockKeys keys = Chains.keys(bench.manifest("team"), 1, 8);
    try (NamespaceStore namespace = bench.open("team")) {
      Blocks saved = bench.filled(keys, i -> StoreBench.number(keys, i));
      namespace.save(saved, StoreBench.soon());
      overwrite(saved);
      bench.hit(namespace, keys);
      Blocks loaded = bench.empty(keys);
      try (BlockLease lease = namespace.lookup(keys, StoreBench.soon())) {
        namespace.load(lease, loaded, StoreBench.soon());
      }
      overwrite(loaded);
      Blocks cut = bench.empty(keys);
      try (BlockLease lease = namespace.lookup(keys, StoreBench.soon())) {
        namespace.load(lease, cut, Deadline.after(Duration.ofNanos(50_000)));
      }
      overwrite(cut);
      Thread.sleep(30);
      bench.hit(namespace, keys);
      for (Blocks blocks : new Blocks[] {saved, loaded, cut}) {
        for (int i = 0; i < blocks.count(); i++) {
          long wrong = Payload.firstWrong(blocks.frame(i).payload(), -99);
          assertEquals(-1, wrong, "a byte of frame " + i + " was written after the call");
        }
      }
    }
  }

  /** Writes to the frames as their next user does: at once, unless the store retained them. */
  private static void overwrite(Blocks blocks) throws InterruptedException {
    CountDownLatch free = new CountDownLatch(1);
    blocks.whenFree(free::countDown);
    assertTrue(free.await(30, TimeUnit.SECONDS), "retained frames were never let go");
    for (int i = 0; i < blocks.count(); i++) {
      Payload.fill(blocks.frame(i).payload(), -99);
    }
  }

  @Test
  @Rule("R-ATOM-6")
  default void saveChangesNoPayloadAndNothingBesideAFrame() throws StoreException {
    StoreBench bench = bench();
    BlockKeys keys = Chains.keys(Manifests.of("odd", 4160), 1, 4);
    try (NamespaceStore namespace = bench.store().open(Manifests.of("odd", 4160))) {
      Blocks saved = bench.trySave(namespace, keys);
      StoreBench.all(BlockStatus.OK, saved);
      StoreBench.compare(saved);
      bench.hit(namespace, keys);
      bench.frames().checkGuards();
    }
  }
}
