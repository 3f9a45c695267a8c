package io.kvasir.benchmarks.common;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.Deadline;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.store.BlockLease;
import io.kvasir.api.store.Blocks;
import io.kvasir.api.store.Frame;
import io.kvasir.api.store.NamespaceStore;
import io.kvasir.api.store.Store;
import java.lang.foreign.Arena;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SparseStoreTest {
  private static final int BLOCKS = 4000;

  @TempDir Path folder;

  /** The product reads what this module writes after the document: that is the document's test. */
  @Test
  void theStoreOpensIt_findsEveryBlock_andVerifiesTheTail() throws Exception {
    Chains chains = new Chains(4096);
    SparseStore sparse = new SparseStore(folder.resolve("store"), chains, BLOCKS, 10);
    for (int crash = 0; crash < 2; crash++) {
      sparse.crash();
      try (Store store = sparse.open();
          NamespaceStore namespace = store.open(chains.manifest())) {
        assertEquals(BLOCKS, store.usage().blocks());
        for (int c = 0; c < sparse.chainCount(); c++) {
          assertEquals(SparseStore.CHAIN, prefix(namespace, sparse.chain(c)));
        }
        assertEquals(0, prefix(namespace, sparse.chain(sparse.chainCount())));
        BlockKeys last = sparse.chain(sparse.chainCount() - 1);
        for (int i = SparseStore.CHAIN - SparseStore.unflushed(); i < SparseStore.CHAIN; i++) {
          assertEquals(BlockStatus.OK, load(namespace, last.slice(i, i + 1)));
        }
        // of the others there is nothing on the disk
        assertEquals(BlockStatus.CORRUPT, load(namespace, last.slice(0, 1)));
      }
    }
  }

  @Test
  void theHoleTakesNoSpace() throws Exception {
    Chains chains = new Chains(1 << 20);
    SparseStore sparse = new SparseStore(folder.resolve("store"), chains, BLOCKS, 2);
    sparse.crash();
    Path slab = folder.resolve("store/slab-" + ((1 << 20) + 4096) + ".kv");
    assertTrue(Files.size(slab) > 4_000_000_000L);
    long used = 512 * allocatedSectors(slab);
    assertTrue(used < 200 << 20, used + " bytes on the disk");
    sparse.delete();
    assertTrue(Files.notExists(slab));
  }

  /** The JDK does not say; coreutils do. */
  private static long allocatedSectors(Path file) throws Exception {
    Process stat = new ProcessBuilder("stat", "-c", "%b", file.toString()).start();
    return Long.parseLong(
        new String(stat.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip());
  }

  private static int prefix(NamespaceStore namespace, BlockKeys keys) throws Exception {
    try (BlockLease lease = namespace.lookup(keys, Deadline.never())) {
      return lease.prefix();
    }
  }

  private static BlockStatus load(NamespaceStore namespace, BlockKeys key) throws Exception {
    try (Arena arena = Arena.ofShared();
        BlockLease lease = namespace.lookup(key, Deadline.never())) {
      Frame frame = new Frame(arena.allocate(8192, 4096), 4096);
      Blocks block = new Blocks(key, List.of(frame));
      namespace.load(lease, block, Deadline.never());
      return block.status(0);
    }
  }
}
