package io.kvasir.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.store.NamespaceStore;
import io.kvasir.api.store.NamespaceSummary;
import io.kvasir.api.store.StoreException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** R-RESTART: what was acknowledged is there after a restart, and what was removed is not. */
public interface RestartRules extends StoreRules {
  /** LMCache#562, #1139: a restart loses the index, or makes other keys. */
  @Test
  @Rule("R-RESTART-1")
  default void acknowledgedBlocksHitAfterTheStoreWasOpenedAgain() throws StoreException {
    assumeTrue(bench().claims().persistent(), "the backend claims no persistence");
    StoreBench bench = bench();
    NamespaceManifest[] all = {
      bench.manifest("a"), bench.manifest("b"), Manifests.sharded("c", 4096, 2, 2)
    };
    for (NamespaceManifest manifest : all) {
      try (NamespaceStore namespace = bench.store().open(manifest)) {
        bench.save(namespace, Chains.keys(manifest, 1, 5));
      }
    }
    for (int restarts = 0; restarts < 2; restarts++) {
      bench.reopen();
      for (NamespaceManifest manifest : all) {
        try (NamespaceStore namespace = bench.store().open(manifest)) {
          bench.hit(namespace, Chains.keys(manifest, 1, 5));
          bench.miss(namespace, Chains.keys(manifest, 2, 2));
        }
      }
    }
  }

  @Test
  @Rule("R-RESTART-2")
  default void identityHoldsAcrossARestart() throws StoreException {
    assumeTrue(bench().claims().persistent(), "the backend claims no persistence");
    StoreBench bench = bench();
    NamespaceManifest base = bench.manifest("team");
    try (NamespaceStore namespace = bench.store().open(base)) {
      bench.save(namespace, Chains.sameHashes(base, 0, 0, 1, 3));
    }
    bench.reopen();
    for (NamespaceManifest changed :
        Manifests.oneFieldChanged("team", bench.blockBytes()).values()) {
      try (NamespaceStore namespace = bench.store().open(changed)) {
        bench.miss(namespace, Chains.sameHashes(changed, 0, 0, 1, 3));
      }
    }
    try (NamespaceStore namespace = bench.store().open(base)) {
      bench.hit(namespace, Chains.sameHashes(base, 0, 0, 1, 3));
    }
  }

  @Test
  @Rule("R-RESTART-3")
  default void whatWasRemovedStaysRemovedAfterARestart() throws StoreException {
    assumeTrue(bench().claims().persistent(), "the backend claims no persistence");
    assumeTrue(bench().claims().scopedDelete(), "the backend claims no scoped delete");
    StoreBench bench = bench();
    NamespaceManifest a = bench.manifest("a");
    NamespaceManifest b = bench.manifest("b");
    BlockKeys kept = Chains.keys(b, 1, 6);
    try (NamespaceStore left = bench.store().open(a);
        NamespaceStore right = bench.store().open(b)) {
      bench.save(left, Chains.keys(a, 1, 6));
      bench.save(right, kept);
      right.remove(kept.slice(4, 6), StoreBench.soon());
      bench.store().remove(a.id(), StoreBench.soon());
    }
    bench.reopen();
    try (NamespaceStore left = bench.store().open(a);
        NamespaceStore right = bench.store().open(b)) {
      bench.miss(left, Chains.keys(a, 1, 6));
      bench.miss(right, kept.slice(4, 6));
      bench.hit(right, kept.slice(0, 4));
    }
  }

  @Test
  @Rule("R-RESTART-4")
  default void namespacesAndTheirManifestsAreListedAfterARestart() throws StoreException {
    assumeTrue(bench().claims().persistent(), "the backend claims no persistence");
    assumeTrue(bench().claims().enumerate(), "the backend does not claim to enumerate");
    StoreBench bench = bench();
    for (String tenant : List.of("a", "b", "../c")) {
      bench.open(tenant).close();
    }
    Set<String> before = manifests();
    bench.reopen();
    assertEquals(before, manifests());
    assertEquals(3, before.size());
  }

  private Set<String> manifests() throws StoreException {
    return bench().store().namespaces().stream()
        .map(NamespaceSummary::manifest)
        .map(bytes -> new String(bytes, java.nio.charset.StandardCharsets.UTF_8))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** LMCache#562: the process that had the store open is gone, and nobody closed it. */
  @Test
  @Rule("R-RESTART-5")
  default void acknowledgedBlocksHitAfterACrash() throws StoreException {
    assumeTrue(bench().claims().persistent(), "the backend claims no persistence");
    StoreBench bench = bench();
    NamespaceManifest manifest = bench.manifest("team");
    try (NamespaceStore namespace = bench.open("team")) {
      for (int text = 0; text < 6; text++) {
        bench.save(namespace, Chains.keys(manifest, text, 4));
      }
      Optional<StoreBench> crashed = faults().crashed(bench);
      assumeTrue(crashed.isPresent(), "this backend's tests cannot say what a crash leaves");
      try (StoreBench after = crashed.get();
          NamespaceStore again = after.open("team")) {
        for (int text = 0; text < 6; text++) {
          after.hit(again, Chains.keys(manifest, text, 4));
        }
        after.save(again, Chains.keys(manifest, 100, 4));
        after.hit(again, Chains.keys(manifest, 100, 4));
      }
      bench.hit(namespace, Chains.keys(manifest, 0, 4));
    }
  }

  /** LMCache#4991: two processes on one folder. */
  @Test
  @Rule("R-RESTART-6")
  default void secondOpeningIsRefusedOrHarmsNothing() throws StoreException {
    assumeTrue(bench().claims().persistent(), "the backend claims no persistence");
    StoreBench bench = bench();
    NamespaceManifest manifest = bench.manifest("team");
    try (NamespaceStore namespace = bench.open("team")) {
      bench.save(namespace, Chains.keys(manifest, 1, 4));
      try (StoreBench second = bench.beside();
          NamespaceStore other = second.open("team")) {
        second.hit(other, Chains.keys(manifest, 1, 4));
        second.save(other, Chains.keys(manifest, 2, 4));
        bench.hit(namespace, Chains.keys(manifest, 2, 4));
      } catch (StoreException e) {
        assertFalse(e.getMessage().isBlank(), "refused without a word");
      }
      bench.hit(namespace, Chains.keys(manifest, 1, 4));
      bench.save(namespace, Chains.keys(manifest, 3, 4));
    }
    bench.reopen();
    try (NamespaceStore namespace = bench.open("team")) {
      bench.hit(namespace, Chains.keys(manifest, 1, 4));
      bench.hit(namespace, Chains.keys(manifest, 3, 4));
    }
  }

  /** An operator finds the namespace of an old deployment by its labels. */
  @Test
  @Rule("R-RESTART-7")
  default void labelsAndSuccessionAreThereAfterARestart() throws StoreException {
    assumeTrue(bench().claims().persistent(), "the backend claims no persistence");
    assumeTrue(bench().claims().enumerate(), "the backend does not claim to enumerate");
    StoreBench bench = bench();
    NamespaceManifest old = bench.manifest("team").withLabels(Map.of("model", "../llama 🦙"));
    NamespaceManifest next = bench.manifest("next").superseding(old.id());
    bench.store().open(old).close();
    bench.store().open(next).close();
    bench.reopen();
    NamespaceSummary summary =
        bench.store().namespaces().stream()
            .filter(s -> s.id().equals(old.id()))
            .findFirst()
            .orElseThrow();
    assertEquals(Map.of("model", "../llama 🦙"), summary.labels());
    assertEquals(Optional.of(next.id()), summary.supersededBy());
  }
}
