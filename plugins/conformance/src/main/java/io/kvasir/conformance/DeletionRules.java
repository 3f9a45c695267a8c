package io.kvasir.conformance;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.store.BlockLease;
import io.kvasir.api.store.Blocks;
import io.kvasir.api.store.NamespaceStore;
import io.kvasir.api.store.StoreException;
import org.junit.jupiter.api.Test;

/** R-DEL: every deletion is scoped, and final. */
public interface DeletionRules extends StoreRules {
  /** vllm#45767, SGLang's {@code clear()}: a reset wiped the blocks of everyone. */
  @Test
  @Rule("R-DEL-1")
  default void removedNamespaceMissesAndEveryOtherHits() throws StoreException {
    assumeTrue(bench().claims().scopedDelete(), "the backend claims no scoped delete");
    StoreBench bench = bench();
    NamespaceManifest a = bench.manifest("a");
    NamespaceManifest b = bench.manifest("b");
    try (NamespaceStore left = bench.store().open(a);
        NamespaceStore right = bench.store().open(b)) {
      bench.save(left, Chains.sameHashes(a, 0, 0, 1, 4));
      bench.save(right, Chains.sameHashes(b, 0, 0, 1, 4));
      bench.store().remove(a.id(), StoreBench.soon());
      bench.miss(left, Chains.sameHashes(a, 0, 0, 1, 4));
      bench.hit(right, Chains.sameHashes(b, 0, 0, 1, 4));
    }
    try (NamespaceStore again = bench.store().open(a)) {
      bench.miss(again, Chains.sameHashes(a, 0, 0, 1, 4));
      bench.save(again, Chains.sameHashes(a, 0, 0, 1, 4));
      bench.hit(again, Chains.sameHashes(a, 0, 0, 1, 4));
    }
  }

  @Test
  @Rule("R-DEL-2")
  default void removingANamespaceIsSafeToRepeatAndAbsentIsFine() throws StoreException {
    assumeTrue(bench().claims().scopedDelete(), "the backend claims no scoped delete");
    StoreBench bench = bench();
    NamespaceManifest a = bench.manifest("a");
    NamespaceManifest b = bench.manifest("b");
    try (NamespaceStore right = bench.store().open(b)) {
      bench.save(right, Chains.keys(b, 1, 2));
      bench.store().remove(a.id(), StoreBench.soon());
      bench.store().open(a).close();
      bench.store().remove(a.id(), StoreBench.soon());
      bench.store().remove(a.id(), StoreBench.soon());
      bench.hit(right, Chains.keys(b, 1, 2));
    }
  }

  @Test
  @Rule("R-DEL-3")
  default void removedBlocksMissAndTheirNeighboursHit() throws StoreException {
    assumeTrue(bench().claims().scopedDelete(), "the backend claims no scoped delete");
    StoreBench bench = bench();
    NamespaceManifest a = Manifests.sharded("a", 4096, 2, 2);
    NamespaceManifest b = Manifests.sharded("b", 4096, 2, 2);
    try (NamespaceStore left = bench.store().open(a);
        NamespaceStore right = bench.store().open(b)) {
      for (int i = 0; i < 4; i++) { // group, shard
        bench.save(left, Chains.sameHashes(a, i >> 1, i & 1, 1, 6));
        bench.save(right, Chains.sameHashes(b, i >> 1, i & 1, 1, 6));
      }
      BlockKeys keys = Chains.sameHashes(a, 1, 0, 1, 6);
      left.remove(keys.slice(4, 6), StoreBench.soon());
      left.remove(keys.slice(4, 6), StoreBench.soon());
      left.remove(Chains.keys(a, 77, 3), StoreBench.soon());
      bench.miss(left, keys.slice(4, 6));
      bench.hit(left, keys.slice(0, 4));
      for (int i = 0; i < 4; i++) {
        if (i != 2) {
          bench.hit(left, Chains.sameHashes(a, i >> 1, i & 1, 1, 6));
        }
        bench.hit(right, Chains.sameHashes(b, i >> 1, i & 1, 1, 6));
      }
      bench.save(left, keys.slice(4, 6));
      bench.hit(left, keys);
    }
  }

  /** Unreachable at once: a lease keeps blocks from the evictor, not from their owner. */
  @Test
  @Rule("R-DEL-4")
  default void leaseDoesNotKeepWhatIsRemoved() throws StoreException {
    assumeTrue(bench().claims().scopedDelete(), "the backend claims no scoped delete");
    StoreBench bench = bench();
    NamespaceManifest a = bench.manifest("a");
    BlockKeys keys = Chains.keys(a, 1, 4);
    try (NamespaceStore namespace = bench.store().open(a)) {
      bench.save(namespace, keys);
      try (BlockLease lease = namespace.lookup(keys, StoreBench.soon())) {
        assertTrue(lease.present(3));
        namespace.remove(keys.slice(2, 4), StoreBench.soon());
        StoreBench.all(BlockStatus.MISS, loadWith(lease, namespace, keys.slice(2, 4)));
        StoreBench.all(BlockStatus.OK, loadWith(lease, namespace, keys.slice(0, 2)));
        bench.store().remove(a.id(), StoreBench.soon());
        StoreBench.all(BlockStatus.MISS, loadWith(lease, namespace, keys));
      }
      if (bench.claims().usage()) {
        assertTrue(bench.store().usage().leasedBlocks() == 0, "after the lease was closed");
      }
    }
  }

  private Blocks loadWith(BlockLease lease, NamespaceStore namespace, BlockKeys keys) {
    Blocks blocks = bench().empty(keys);
    namespace.load(lease, blocks, StoreBench.soon());
    StoreBench.compare(blocks);
    return blocks;
  }
}
