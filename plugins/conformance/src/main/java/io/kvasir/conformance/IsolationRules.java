package io.kvasir.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kvasir.api.format.Dtype;
import io.kvasir.api.format.KvGroup;
import io.kvasir.api.format.Shards;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.identity.Weights;
import io.kvasir.api.store.NamespaceStore;
import io.kvasir.api.store.StoreException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** R-ISO: tenants, weights, groups and the machine's other users are kept apart. */
public interface IsolationRules extends StoreRules {
  /** LMCache#926: what others can write into a cache's folder becomes the cache's content. */
  @Test
  @Rule("R-ISO-1")
  default void filesAreOpenToTheirOwnerAlone() throws StoreException, IOException {
    StoreBench bench = bench();
    NamespaceManifest manifest = bench.manifest("team");
    try (NamespaceStore namespace = bench.open("team")) {
      bench.save(namespace, Chains.keys(manifest, 1, 4));
    }
    bench.shut();
    assumeTrue(OpenFiles.known(bench.directory()), "this file system has no file modes");
    assertEquals(List.of(), OpenFiles.below(bench.directory()));
  }

  /** {@code ../} in a name must not lead out of the store's folder. */
  @Test
  @Rule("R-ISO-2")
  default void nothingIsWrittenOutsideTheStoresFolder() throws StoreException, IOException {
    StoreBench bench = bench();
    for (String name : List.of("../escape", "..", "a/../../b", "/escape")) {
      NamespaceManifest odd =
          NamespaceManifest.of(
              name, Weights.full("../" + name, "../" + name), Manifests.format(bench.blockBytes()));
      try (NamespaceStore namespace = bench.store().open(odd.withLabels(Map.of("n", name)))) {
        bench.save(namespace, Chains.keys(odd, 1, 1));
      }
    }
    bench.shut();
    try (Stream<Path> beside = Files.list(bench.directory().getParent())) {
      assertEquals(List.of(bench.directory()), beside.toList());
    }
  }

  /** vllm#45767: tenants share one store, and not one block. */
  @Test
  @Rule("R-ISO-3")
  default void eachOfManyTenantsFindsItsOwn() throws StoreException {
    StoreBench bench = bench();
    int tenants = 40;
    List<NamespaceStore> open = new ArrayList<>();
    List<NamespaceManifest> manifests = new ArrayList<>();
    for (int t = 0; t < tenants; t++) {
      manifests.add(Manifests.of("tenant-" + t, 4096));
      open.add(bench.store().open(manifests.get(t)));
      bench.save(open.get(t), Chains.sameHashes(manifests.get(t), 0, 0, 1, 2));
    }
    for (int t = 0; t < tenants; t++) {
      bench.hit(open.get(t), Chains.sameHashes(manifests.get(t), 0, 0, 1, 2));
      open.get(t).close();
      try (NamespaceStore again = bench.store().open(manifests.get(t))) {
        bench.hit(again, Chains.sameHashes(manifests.get(t), 0, 0, 1, 2));
      }
    }
  }

  /** lmdeploy#4917: three replicas, of which one skips an update and one updates in part. */
  @Test
  @Rule("R-ISO-4")
  default void replicasShareWhatTheyComputedWithEqualWeightsOnly() throws StoreException {
    StoreBench bench = bench();
    Weights base = Manifests.weights();
    Map<String, Weights> states = new LinkedHashMap<>();
    states.put("base", base);
    states.put("a after step-1", Weights.full("run-1", "step-1"));
    states.put("a after step-2, where b arrives from the base", Weights.full("run-1", "step-2"));
    states.put("c, another run with a step-2", Weights.full("run-2", "step-2"));
    states.put("a part of step-2 on the base", Weights.delta(base, "run-1", "step-2"));
    states.put(
        "the same part on step-1",
        Weights.delta(Weights.full("run-1", "step-1"), "run-1", "step-2"));
    states.put("a failed update", Weights.unknown());
    states.put("another failed update", Weights.unknown());
    Map<String, NamespaceManifest> manifests = new LinkedHashMap<>();
    states.forEach(
        (name, weights) ->
            manifests.put(
                name, NamespaceManifest.of("team", weights, Manifests.format(bench.blockBytes()))));
    for (Map.Entry<String, NamespaceManifest> state : manifests.entrySet()) {
      BlockKeys keys = Chains.sameHashes(state.getValue(), 0, 0, 1, 2);
      try (NamespaceStore first = bench.store().open(state.getValue());
          NamespaceStore replica = bench.store().open(state.getValue())) {
        bench.miss(first, keys);
        bench.save(first, keys);
        bench.hit(replica, keys);
      } catch (AssertionError e) {
        throw new AssertionError("weights: " + state.getKey(), e);
      }
    }
    for (NamespaceManifest manifest : manifests.values()) {
      try (NamespaceStore late = bench.store().open(manifest)) {
        bench.hit(late, Chains.sameHashes(manifest, 0, 0, 1, 2));
      }
    }
  }

  /** sglang#31108, vllm#50687: groups of one model have blocks of their own sizes. */
  @Test
  @Rule("R-ISO-5")
  default void groupsAndShardsOfOneNamespaceHaveBlocksOfTheirOwnSizes() throws StoreException {
    StoreBench bench = bench();
    int[] dims = {64, 16, 576, 1};
    KvGroup[] groups = new KvGroup[dims.length];
    for (int g = 0; g < dims.length; g++) {
      groups[g] = KvGroup.full(g, Manifests.BLOCK_TOKENS, List.of(g), 2, dims[g], Dtype.BF16);
    }
    NamespaceManifest manifest =
        NamespaceManifest.of(
            "team", Manifests.weights(), Manifests.format(new Shards.KvHead(2), groups));
    try (NamespaceStore namespace = bench.store().open(manifest)) {
      for (int i = 0; i < 2 * dims.length; i++) { // group, shard
        BlockKeys keys = Chains.sameHashes(manifest, i >> 1, i & 1, 3, 4);
        assertEquals(dims[i >> 1] * 64L, keys.payloadBytes());
        bench.miss(namespace, keys);
        bench.save(namespace, keys);
      }
      for (int i = 0; i < 2 * dims.length; i++) {
        bench.hit(namespace, Chains.sameHashes(manifest, i >> 1, i & 1, 3, 4));
      }
    }
  }
}
