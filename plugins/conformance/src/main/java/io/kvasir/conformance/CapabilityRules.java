package io.kvasir.conformance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.identity.NamespaceId;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.store.NamespaceStore;
import io.kvasir.api.store.NamespaceSummary;
import io.kvasir.api.store.StoreException;
import io.kvasir.api.store.StoreUsage;
import io.kvasir.api.store.StoreView;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** R-CAP: what is claimed works, and what is not claimed fails with the agreed error. */
public interface CapabilityRules extends StoreRules {
  @Test
  @Rule("R-CAP-1")
  default void whatIsNotClaimedIsUnsupported() throws StoreException {
    StoreBench bench = bench();
    BlockKeys keys = Chains.keys(bench.manifest("team"), 1, 2);
    try (NamespaceStore namespace = bench.open("team")) {
      bench.save(namespace, keys);
      if (!bench.claims().scopedDelete()) {
        NamespaceId id = bench.manifest("team").id();
        unsupported(() -> bench.store().remove(id, StoreBench.soon()));
        unsupported(() -> namespace.remove(keys, StoreBench.soon()));
      }
      if (!bench.claims().enumerate()) {
        unsupported(() -> bench.store().namespaces());
      }
      if (!bench.claims().usage()) {
        unsupported(() -> bench.store().usage());
      }
      assertTrue(
          bench.claims().deviceMemory() || bench.store().transferPaths().isEmpty(),
          "claims no device memory and has transfer paths"); // one that claims needs a device, too
      bench.hit(namespace, keys);
    }
  }

  private static void unsupported(Executable call) {
    StoreException e =
        assertThrows(
            StoreException.class, call, "the descriptor does not claim it, and yet it works");
    assertEquals(StoreException.Kind.UNSUPPORTED, e.kind());
  }

  @Test
  @Rule("R-CAP-2")
  default void descriptorIsConstantAndSupportsStrictIdentity() {
    assertEquals(bench().provider().descriptor(), bench().provider().descriptor());
    assertTrue(bench().provider().descriptor().policies().contains("strict"));
  }

  @Test
  @Rule("R-CAP-3")
  default void namespacesAreListedWithManifestLabelsAndCounts() throws StoreException {
    assumeTrue(bench().claims().enumerate(), "the backend does not claim to enumerate");
    StoreBench bench = bench();
    assertTrue(bench.store().namespaces().isEmpty(), "a new store");
    NamespaceManifest old = bench.manifest("team").withLabels(Map.of("model", "llama"));
    NamespaceManifest next =
        NamespaceManifest.of(
                "team",
                io.kvasir.api.identity.Weights.full("run", "step-1"),
                Manifests.format(bench.blockBytes()))
            .superseding(old.id());
    try (NamespaceStore first = bench.store().open(old)) {
      bench.save(first, Chains.keys(old, 1, 3));
    }
    try (NamespaceStore second = bench.store().open(next)) {
      bench.save(second, Chains.keys(next, 1, 2));
      Map<NamespaceId, NamespaceSummary> all =
          bench.store().namespaces().stream()
              .collect(Collectors.toMap(NamespaceSummary::id, Function.identity()));
      assertEquals(2, all.size());
      NamespaceSummary summary = all.get(old.id());
      assertArrayEquals(old.canonical(), summary.manifest());
      assertEquals(Map.of("model", "llama"), summary.labels());
      assertEquals(3, summary.blocks());
      assertEquals(3 * bench.blockBytes(), summary.bytes());
      assertEquals(Optional.of(next.id()), summary.supersededBy());
      assertFalse(summary.lastUsed().isBefore(summary.created()));
      assertEquals(2, all.get(next.id()).blocks());
    }
    if (bench.claims().scopedDelete()) {
      bench.store().remove(old.id(), StoreBench.soon());
      assertEquals(1, bench.store().namespaces().size());
    }
  }

  /** LMCache#4664: usage never passes the cap, and the store goes on. */
  @Test
  @Rule("R-CAP-4")
  default void tenTimesTheCapacityStaysWithinItAndTheLatestIsThere() throws StoreException {
    StoreBench bench = bench();
    NamespaceManifest manifest = bench.manifest("team");
    try (NamespaceStore namespace = bench.open("team")) {
      int texts = 10 * bench.capacityBlocks() / 8;
      for (int text = 0; text < texts; text++) {
        bench.trySave(namespace, Chains.keys(manifest, text, 8));
        if (bench.claims().usage() && text % 8 == 0) {
          within(bench.store().usage());
        }
      }
      bench.save(namespace, Chains.keys(manifest, texts, 4));
      bench.hit(namespace, Chains.keys(manifest, texts, 4));
      if (bench.claims().usage()) {
        within(bench.store().usage());
      }
    }
  }

  private void within(StoreUsage usage) {
    assertTrue(
        usage.occupiedBytes() <= usage.capacityBytes()
            && usage.capacityBytes() <= bench().capacity().bytes()
            && usage.payloadBytes() <= usage.occupiedBytes(),
        () -> "configured with " + bench().capacity() + ": " + usage);
  }

  @Test
  @Rule("R-CAP-5")
  default void usageCountsWhatIsCommitted() throws StoreException {
    assumeTrue(bench().claims().usage(), "the backend does not claim to count");
    StoreBench bench = bench();
    BlockKeys keys = Chains.keys(bench.manifest("team"), 1, 5);
    try (NamespaceStore namespace = bench.open("team")) {
      assertEquals(0, bench.store().usage().blocks());
      bench.save(namespace, keys);
      bench.save(namespace, keys);
      assertEquals(5, bench.store().usage().blocks());
      assertEquals(5 * bench.blockBytes(), bench.store().usage().payloadBytes());
      within(bench.store().usage());
      if (bench.claims().scopedDelete()) {
        namespace.remove(keys.slice(3, 5), StoreBench.soon());
        assertEquals(3, bench.store().usage().blocks());
        bench.store().remove(bench.manifest("team").id(), StoreBench.soon());
        assertEquals(0, bench.store().usage().blocks());
        assertEquals(0, bench.store().usage().payloadBytes());
      }
    }
  }

  @Test
  @Rule("R-CAP-6")
  default void prefixClosedStorePublishesNoBlockWithoutItsParent() throws StoreException {
    assumeTrue(bench().claims().prefixClosed(), "the backend does not claim to be prefix-closed");
    StoreBench bench = bench();
    BlockKeys keys = Chains.keys(bench.manifest("team"), 1, 4);
    try (NamespaceStore namespace = bench.open("team")) {
      bench.trySave(namespace, keys.slice(2, 4));
      bench.miss(namespace, keys.slice(2, 4));
      bench.save(namespace, keys);
      bench.hit(namespace, keys);
      if (bench.claims().scopedDelete()) {
        namespace.remove(keys.slice(1, 2), StoreBench.soon());
        bench.miss(namespace, keys.slice(1, 4));
      }
      bench.hit(namespace, keys.slice(0, 1));
    }
  }

  @Test
  @Rule("R-CAP-7")
  default void blockThatCanNeverFitIsRefusedAndNothingElseSuffers() throws StoreException {
    StoreBench bench = bench();
    assumeTrue(bench.capacity().bytes() < 32L << 20, "no block is larger than this store");
    NamespaceManifest big = Manifests.of("big", 32L << 20);
    try (NamespaceStore small = bench.open("team");
        NamespaceStore large = bench.store().open(big)) {
      BlockKeys keys = Chains.keys(bench.manifest("team"), 1, 3);
      bench.save(small, keys);
      BlockStatus status = bench.trySave(large, Chains.keys(big, 1, 1)).status(0);
      if (status == BlockStatus.OK && !bench.claims().usage()) {
        bench.hit(large, Chains.keys(big, 1, 1)); // a store that is not bounded
      } else {
        assertEquals(BlockStatus.CAPACITY, status);
        bench.miss(large, Chains.keys(big, 1, 1));
      }
      bench.hit(small, keys);
    }
  }

  @Test
  @Rule("R-CAP-8")
  default void viewListsWhatIsThereAndLeavesAnOpenStoreAlone() throws StoreException {
    assumeTrue(bench().claims().persistent(), "the backend claims no persistence");
    assumeTrue(bench().claims().enumerate(), "the backend does not claim to enumerate");
    StoreBench bench = bench();
    try (StoreView view = bench.view()) {
      assertTrue(view.namespaces().isEmpty(), "a store that is not there yet");
    }
    NamespaceManifest manifest = bench.manifest("team");
    BlockKeys keys = Chains.keys(manifest, 1, 3);
    try (NamespaceStore namespace = bench.open("team")) {
      bench.save(namespace, keys);
      try (StoreView view = bench.view()) {
        assertEquals(1, view.namespaces().size());
        assertArrayEquals(manifest.canonical(), view.namespaces().getFirst().manifest());
      }
      bench.hit(namespace, keys);
      bench.save(namespace, Chains.keys(manifest, 2, 2));
    }
    bench.shut();
    try (StoreView view = bench.view()) {
      NamespaceSummary summary = view.namespaces().getFirst();
      assertEquals(5, summary.blocks());
      assertEquals(5 * bench.blockBytes(), summary.bytes());
    }
    try (NamespaceStore namespace = bench.open("team")) {
      bench.hit(namespace, keys);
      bench.hit(namespace, Chains.keys(manifest, 2, 2));
    }
  }
}
