package io.kvasir.conformance;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.store.Blocks;
import io.kvasir.api.store.NamespaceStore;
import io.kvasir.api.store.StoreException;
import io.kvasir.api.store.StoreUsage;
import org.junit.jupiter.api.Test;

/** R-ROOM: a full store makes room, and knows how much it has. */
public interface CapacityRules extends StoreRules {
  /** LMCache#2420: evicted is absent, and nothing else. */
  @Test
  @Rule("R-ROOM-1")
  default void evictedBlockCanBeSavedAgain() throws StoreException {
    StoreBench bench = bench();
    NamespaceManifest manifest = bench.manifest("team");
    BlockKeys first = Chains.keys(manifest, 1, 4);
    try (NamespaceStore namespace = bench.open("team")) {
      for (int turn = 0; turn < 3; turn++) {
        bench.save(namespace, first);
        bench.hit(namespace, first);
        for (int text = 0; text < bench.capacityBlocks() * 5 / 32; text++) {
          bench.trySave(namespace, Chains.keys(manifest, 100 + turn * 10_000 + text, 8));
        }
        Blocks loaded = bench.load(namespace, first);
        for (int i = 0; i < 4; i++) {
          BlockStatus status = loaded.status(i);
          assertTrue(status == BlockStatus.OK || status == BlockStatus.MISS, "it is " + status);
        }
      }
    }
  }

  /** LMCache#4664: bytes count, not blocks. */
  @Test
  @Rule("R-ROOM-2")
  default void blocksOfAllSizesShareOneCapacity() throws StoreException {
    StoreBench bench = bench();
    assumeTrue(bench.claims().usage(), "the backend does not claim to count");
    long large = bench.blockBytes();
    NamespaceManifest small = Manifests.of("small", Math.max(64, large / 16 / 64 * 64));
    NamespaceManifest big = Manifests.of("big", large);
    try (NamespaceStore a = bench.store().open(small);
        NamespaceStore b = bench.store().open(big)) {
      for (int text = 0; text < bench.capacityBlocks() / 4; text++) {
        bench.trySave(a, Chains.keys(small, text, 8));
        bench.trySave(b, Chains.keys(big, text, 8));
        if (text % 8 == 0) {
          StoreUsage usage = bench.store().usage();
          assertTrue(
              usage.payloadBytes() <= usage.occupiedBytes()
                  && usage.occupiedBytes() <= usage.capacityBytes(),
              () -> "configured with " + bench.capacity() + ": " + usage);
        }
      }
      bench.save(a, Chains.keys(small, -1, 4));
      bench.hit(a, Chains.keys(small, -1, 4));
    }
  }
}
