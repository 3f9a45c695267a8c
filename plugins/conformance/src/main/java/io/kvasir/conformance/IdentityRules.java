package io.kvasir.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.identity.RequestScope;
import io.kvasir.api.identity.Weights;
import io.kvasir.api.store.BlockLease;
import io.kvasir.api.store.Blocks;
import io.kvasir.api.store.NamespaceStore;
import io.kvasir.api.store.Store;
import io.kvasir.api.store.StoreException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** R-ID: a block is read only under the identity that it was written under. */
public interface IdentityRules extends StoreRules {
  /** lmdeploy#4930, and each fault like it: one field of the manifest. */
  @Test
  @Rule("R-ID-1")
  default void oneFieldOfTheManifestChangedFindsNothingAndNoneChangedFindsAll()
      throws StoreException {
    StoreBench bench = bench();
    NamespaceManifest base = bench.manifest("team");
    try (NamespaceStore namespace = bench.store().open(base)) {
      bench.save(namespace, Chains.keys(base, 1, 4));
      bench.save(namespace, Chains.sameHashes(base, 0, 0, 1, 4));
    }
    for (Map.Entry<String, NamespaceManifest> changed :
        Manifests.oneFieldChanged("team", bench.blockBytes()).entrySet()) {
      try (NamespaceStore namespace = bench.store().open(changed.getValue())) {
        bench.miss(namespace, Chains.keys(changed.getValue(), 1, 4));
        bench.miss(namespace, Chains.sameHashes(changed.getValue(), 0, 0, 1, 4));
      } catch (AssertionError e) {
        throw new AssertionError("changed: " + changed.getKey(), e);
      }
    }
    NamespaceManifest same = bench.manifest("team");
    try (NamespaceStore namespace = bench.store().open(same)) {
      bench.hit(namespace, Chains.keys(same, 1, 4));
      bench.hit(namespace, Chains.sameHashes(same, 0, 0, 1, 4));
    }
  }

  /** LMCache#2878, #3301: one thing of the request. */
  @Test
  @Rule("R-ID-2")
  default void oneThingOfTheRequestChangedFindsNothing() throws StoreException {
    StoreBench bench = bench();
    try (NamespaceStore namespace = bench.open("team")) {
      bench.save(namespace, Chains.keys(bench.manifest("team"), 1, 4));
      for (Map.Entry<String, BlockKeys> changed :
          Chains.oneThingChanged(bench.manifest("team"), 1).entrySet()) {
        try {
          bench.miss(namespace, changed.getValue());
        } catch (AssertionError e) {
          throw new AssertionError("changed: " + changed.getKey(), e);
        }
      }
      bench.hit(namespace, Chains.keys(bench.manifest("team"), 1, 4));
    }
  }

  /** An engine's own hashes do not hold the namespace: the store must. */
  @Test
  @Rule("R-ID-3")
  default void sameHashInAnotherNamespaceGroupOrShardIsAnotherBlock() throws StoreException {
    StoreBench bench = bench();
    NamespaceManifest[] tenants = {
      Manifests.sharded("a", 4096, 2, 2), Manifests.sharded("b", 4096, 2, 2)
    };
    try (NamespaceStore a = bench.store().open(tenants[0]);
        NamespaceStore b = bench.store().open(tenants[1])) {
      NamespaceStore[] open = {a, b};
      for (int i = 0; i < 8; i++) { // tenant, group, shard
        BlockKeys keys = Chains.sameHashes(tenants[i >> 2], i >> 1 & 1, i & 1, 7, 3);
        bench.miss(open[i >> 2], keys);
        bench.save(open[i >> 2], keys);
      }
      for (int i = 0; i < 8; i++) {
        bench.hit(open[i >> 2], Chains.sameHashes(tenants[i >> 2], i >> 1 & 1, i & 1, 7, 3));
      }
    }
  }

  @Test
  @Rule("R-ID-4")
  default void keysOfAnotherNamespaceAreTheCallersMistake() throws StoreException {
    StoreBench bench = bench();
    BlockKeys foreign = Chains.keys(bench.manifest("b"), 1, 2);
    try (NamespaceStore namespace = bench.open("a")) {
      BlockLease lease = BlockLease.hint(foreign, new java.util.BitSet());
      Blocks blocks = bench.empty(foreign);
      assertThrows(
          IllegalArgumentException.class, () -> namespace.lookup(foreign, StoreBench.soon()));
      assertThrows(
          IllegalArgumentException.class, () -> namespace.load(lease, blocks, StoreBench.soon()));
      assertThrows(IllegalArgumentException.class, () -> namespace.save(blocks, StoreBench.soon()));
    }
    try (NamespaceStore namespace = bench.open("b")) {
      bench.miss(namespace, foreign);
    }
  }

  /** Nothing that a user typed is part of a key or of a file's name. */
  @Test
  @Rule("R-ID-5")
  default void oddNamesAreNamesLikeAnyOther() throws StoreException {
    StoreBench bench = bench();
    List<String> tenants =
        List.of("../../escape", "a/b", "名前 🦭", "x".repeat(300), "con", "a\\b:c*?", ".", " a ");
    for (String tenant : tenants) {
      NamespaceManifest odd =
          NamespaceManifest.of(
                  tenant,
                  Weights.named("../" + tenant, "release/../1"),
                  Manifests.format(bench.blockBytes()))
              .withLabels(Map.of("name", "../" + tenant));
      RequestScope scope = RequestScope.salted("s".repeat(128));
      BlockKeys keys = Chains.keys(odd, scope, Chains.tokens(1, 2), List.of());
      try (NamespaceStore namespace = bench.store().open(odd)) {
        bench.miss(namespace, keys);
        bench.save(namespace, keys);
        bench.hit(namespace, keys);
      }
    }
  }

  @Test
  @Rule("R-ID-6")
  default void labelsAndWhatIsSupersededAreNotIdentity() throws StoreException {
    StoreBench bench = bench();
    NamespaceManifest plain = bench.manifest("team");
    try (NamespaceStore first = bench.store().open(plain);
        NamespaceStore second =
            bench
                .store()
                .open(
                    plain
                        .withLabels(Map.of("model", "llama"))
                        .superseding(bench.manifest("older").id()))) {
      bench.save(first, Chains.keys(plain, 1, 2));
      bench.hit(second, Chains.keys(plain, 1, 2));
    }
  }

  @Test
  @Rule("R-ID-7")
  default void damagedManifestIsAMismatchAndNothingIsChanged() throws StoreException {
    StoreBench bench = bench();
    NamespaceManifest damaged = bench.manifest("team");
    NamespaceManifest whole = bench.manifest("other");
    try (NamespaceStore a = bench.store().open(damaged);
        NamespaceStore b = bench.store().open(whole)) {
      bench.save(a, Chains.keys(damaged, 1, 2));
      bench.save(b, Chains.keys(whole, 1, 2));
    }
    Optional<Store> store = faults().damageManifest(bench, damaged);
    assumeTrue(store.isPresent(), "this backend's tests cannot damage a manifest");
    for (int twice = 0; twice < 2; twice++) {
      StoreException e =
          assertThrows(StoreException.class, () -> store.get().open(damaged).close());
      assertEquals(StoreException.Kind.MISMATCH, e.kind());
    }
    try (NamespaceStore b = store.get().open(whole)) {
      bench.hit(b, Chains.keys(whole, 1, 2));
    }
  }

  /** File systems and databases fold case, trim blanks and normalise; names do not. */
  @Test
  @Rule("R-ID-8")
  default void namesThatLookAlikeShareNothing() throws StoreException {
    alone(List.of("team", "Team", "team ", "team.", "ｔeam", "teám", "te am", "team\t"));
  }

  /** A path of 4 KiB is longer than any file's name: what cuts it joins what differs behind. */
  @Test
  @Rule("R-ID-9")
  default void longNamesThatDifferAtTheirEndShareNothing() throws StoreException {
    String path = "/models/" + "deep/".repeat(816);
    alone(List.of(path + "a", path + "b", path));
  }

  private void alone(List<String> names) throws StoreException {
    StoreBench bench = bench();
    Map<String, NamespaceManifest> all = new java.util.LinkedHashMap<>();
    for (String name : names) {
      all.put(
          "tenant " + name,
          NamespaceManifest.of(name, Manifests.weights(), Manifests.format(bench.blockBytes())));
      all.put(
          "model " + name,
          NamespaceManifest.of(
              "team-0", Weights.named(name, "release-1"), Manifests.format(bench.blockBytes())));
    }
    for (Map.Entry<String, NamespaceManifest> one : all.entrySet()) {
      BlockKeys keys = Chains.sameHashes(one.getValue(), 0, 0, 1, 1);
      try (NamespaceStore namespace = bench.store().open(one.getValue())) {
        bench.miss(namespace, keys);
        bench.save(namespace, keys);
        bench.hit(namespace, keys);
      } catch (AssertionError e) {
        throw new AssertionError(one.getKey(), e);
      }
    }
  }

  /** LMCache#3301: two images shared because their hash had 16 bits. */
  @Test
  @Rule("R-ID-10")
  default void hashesThatDifferInOneByteAreOtherBlocks() throws StoreException {
    NamespaceManifest manifest = bench().manifest("team");
    byte[] hash = new byte[32];
    java.util.Arrays.fill(hash, (byte) 0x5a);
    try (NamespaceStore namespace = bench().open("team")) {
      bench().save(namespace, Chains.hashed(manifest, hash));
      for (int at = 0; at < hash.length; at++) {
        byte[] other = hash.clone();
        other[at] ^= 1;
        bench().miss(namespace, Chains.hashed(manifest, other));
        bench().save(namespace, Chains.hashed(manifest, other));
        bench().hit(namespace, Chains.hashed(manifest, other));
      }
      bench().hit(namespace, Chains.hashed(manifest, hash));
    }
  }
}
