package io.kvasir.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.store.BlockLease;
import io.kvasir.api.store.Blocks;
import io.kvasir.api.store.NamespaceStore;
import io.kvasir.api.store.StoreException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** R-LEASE: a lease keeps what a lookup found, no more than half of the store, and comes back. */
public interface LeaseRules extends StoreRules {
  @Test
  @Rule("R-LEASE-1")
  default void leasedBlocksStayLoadableWhateverIsStoredMeanwhile() throws StoreException {
    assumeTrue(bench().claims().leases(), "the backend claims no leases");
    StoreBench bench = bench();
    NamespaceManifest manifest = bench.manifest("team");
    BlockKeys keys = Chains.keys(manifest, 1, 4);
    try (NamespaceStore namespace = bench.open("team")) {
      bench.save(namespace, keys);
      try (BlockLease lease = namespace.lookup(keys, StoreBench.soon())) {
        assertTrue(lease.held(), "four blocks of many are leased");
        fill(namespace, manifest);
        assertTrue(lease.held(), "the lease is younger than " + BlockLease.LASTS);
        Blocks blocks = bench.empty(keys);
        namespace.load(lease, blocks, StoreBench.soon());
        StoreBench.all(BlockStatus.OK, blocks);
        StoreBench.compare(blocks);
      }
    }
  }

  /** Stores three times what fits. */
  private void fill(NamespaceStore namespace, NamespaceManifest manifest) {
    for (int text = 100; text < 100 + 3 * bench().capacityBlocks() / 8; text++) {
      bench().trySave(namespace, Chains.keys(manifest, text, 8));
    }
  }

  /** LMCache#1034: what is pinned must not leak until nothing can be stored. */
  @Test
  @Rule("R-LEASE-2")
  default void atMostHalfIsLeasedAndAClosedLeaseMakesRoomForAnother() throws StoreException {
    assumeTrue(bench().claims().leases(), "the backend claims no leases");
    StoreBench bench = bench();
    NamespaceManifest manifest = bench.manifest("team");
    try (NamespaceStore namespace = bench.open("team")) {
      int first = leaseAll(namespace, manifest);
      assertTrue(first > 0, "nothing could be leased");
      int second = leaseAll(namespace, manifest);
      assertTrue(
          second >= first * 3 / 4,
          "%d blocks were leased first, but %d once those were closed".formatted(first, second));
      bench.save(namespace, Chains.keys(manifest, 9_999, 4));
      bench.hit(namespace, Chains.keys(manifest, 9_999, 4));
    }
  }

  /** {@return how many blocks could be leased at once; more than half of the store fails} */
  private int leaseAll(NamespaceStore namespace, NamespaceManifest manifest) throws StoreException {
    StoreBench bench = bench();
    List<BlockLease> leases = new ArrayList<>();
    int held = 0;
    int saved = 0;
    int absent = 0;
    try {
      for (int text = 0; text < bench.capacityBlocks(); text++) {
        BlockKeys keys = Chains.keys(manifest, text, 1);
        if (bench.trySave(namespace, keys).status(0) == BlockStatus.OK) {
          BlockLease lease = namespace.lookup(keys, StoreBench.soon());
          leases.add(lease);
          saved++;
          absent += lease.present(0) ? 0 : 1;
          held += lease.present(0) && lease.held() ? 1 : 0;
        }
      }
      assertTrue( // where all else is leased, the block just saved may be the next to be evicted
          absent <= saved / 8,
          "%d of %d blocks that were just saved are not found, hint or not"
              .formatted(absent, saved));
      assertTrue(
          held * bench.blockBytes() <= bench.capacity().bytes() / 2,
          "%d leased blocks are more than half of %s".formatted(held, bench.capacity()));
      if (bench.claims().usage()) {
        assertEquals(held, bench.store().usage().leasedBlocks());
      }
    } finally {
      leases.forEach(BlockLease::close);
    }
    if (bench.claims().usage()) {
      assertEquals(0, bench.store().usage().leasedBlocks(), "after all leases were closed");
    }
    return held;
  }

  @Test
  @Rule("R-LEASE-3")
  default void closedLeaseHoldsNothingAndClosesAgain() throws StoreException {
    StoreBench bench = bench();
    BlockKeys keys = Chains.keys(bench.manifest("team"), 1, 2);
    try (NamespaceStore namespace = bench.open("team")) {
      bench.save(namespace, keys);
      BlockLease one = namespace.lookup(keys, StoreBench.soon());
      BlockLease two = namespace.lookup(keys, StoreBench.soon());
      assertEquals(bench.claims().leases(), one.held());
      assertEquals(bench.claims().leases(), one.renew());
      one.close();
      one.close();
      assertFalse(one.held());
      assertFalse(one.renew());
      assertEquals(bench.claims().leases(), two.held(), "another lease of the same blocks");
      if (bench.claims().leases() && bench.claims().usage()) {
        assertEquals(2, bench.store().usage().leasedBlocks());
      }
      two.close();
      Blocks blocks = bench.empty(keys);
      namespace.load(one, blocks, StoreBench.soon()); // an ended lease causes misses at worst
      StoreBench.compare(blocks);
      bench.hit(namespace, keys);
    }
  }

  @Test
  @Rule("R-LEASE-4")
  default void storeWithoutLeasesGivesHints() throws StoreException {
    assumeFalse(bench().claims().leases(), "the backend claims leases");
    StoreBench bench = bench();
    BlockKeys keys = Chains.keys(bench.manifest("team"), 1, 2);
    try (NamespaceStore namespace = bench.open("team")) {
      bench.save(namespace, keys);
      try (BlockLease lease = namespace.lookup(keys, StoreBench.soon())) {
        assertEquals(2, lease.prefix());
        assertFalse(lease.held());
        assertFalse(lease.renew());
      }
    }
  }

  @Test
  @Rule("R-LEASE-5")
  default void leaseEndsWithItsNamespace() throws StoreException {
    assumeTrue(bench().claims().leases(), "the backend claims no leases");
    StoreBench bench = bench();
    BlockKeys keys = Chains.keys(bench.manifest("team"), 1, 2);
    BlockLease lease;
    try (NamespaceStore other = bench.open("team")) {
      try (NamespaceStore namespace = bench.open("team")) {
        bench.save(namespace, keys);
        lease = namespace.lookup(keys, StoreBench.soon());
        assertTrue(lease.held());
      }
      assertFalse(lease.held(), "the namespace that gave it is closed");
      assertFalse(lease.renew());
      if (bench.claims().usage()) {
        assertEquals(0, bench.store().usage().leasedBlocks());
      }
      bench.hit(other, keys);
    }
  }

  /** Keys of a load are among those of its lease: their places differ. */
  @Test
  @Rule("R-LEASE-6")
  default void partOfALeaseLoadsAndEachBlockIsItsOwn() throws StoreException {
    StoreBench bench = bench();
    BlockKeys keys = Chains.keys(bench.manifest("team"), 1, 8);
    try (NamespaceStore namespace = bench.open("team")) {
      bench.save(namespace, keys);
      try (BlockLease lease = namespace.lookup(keys, StoreBench.soon())) {
        for (int from : new int[] {5, 0, 3}) {
          Blocks blocks = bench.empty(keys.slice(from, from + 3));
          namespace.load(lease, blocks, StoreBench.soon());
          StoreBench.all(BlockStatus.OK, blocks);
          StoreBench.compare(blocks);
        }
      }
    }
  }
}
