package io.kvasir.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.store.NamespaceStore;
import io.kvasir.api.store.Store;
import io.kvasir.api.store.StoreException;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** R-HEALTH: what a store says of itself can be asked at any time, and be read by a machine. */
public interface HealthRules extends StoreRules {
  @Test
  @Rule("R-HEALTH-1")
  default void metricsHaveNamesThatAMonitorTakes() throws StoreException {
    StoreBench bench = bench();
    Store store = bench.store();
    BlockKeys keys = Chains.keys(bench.manifest("team"), 1, 4);
    Map<String, Long> before = store.metrics();
    try (NamespaceStore namespace = bench.open("team")) {
      bench.save(namespace, keys);
      bench.hit(namespace, keys);
    }
    Map<String, Long> after = store.metrics();
    assertTrue(after.keySet().containsAll(before.keySet()), "a metric is gone: " + before);
    after.forEach(
        (name, value) -> {
          assertTrue(
              name.matches("[a-z][a-z0-9-]*(\\.[a-z0-9-]+)*"),
              "metric \"" + name + "\": write lower-case words with dots");
          assertNotNull(value, name);
        });
  }

  /** An operator asks most when the least works. */
  @Test
  @Rule("R-HEALTH-2")
  default void healthAndMetricsCanBeAskedOfAClosedStore() throws StoreException {
    Store store = bench().store();
    assertNotNull(store.health());
    store.close();
    assertNotNull(store.health().state());
    assertFalse(store.health().detail().isBlank(), "says nothing");
    assertNotNull(store.metrics());
  }

  @Test
  @Rule("R-HEALTH-3")
  default void whatCanBeKeptIsNotRefusedAndAskingCreatesNothing() throws StoreException {
    StoreBench bench = bench();
    NamespaceManifest manifest = bench.manifest("team");
    assertEquals(Optional.empty(), bench.store().refusal(manifest), "not there yet");
    if (bench.claims().enumerate()) {
      assertTrue(bench.store().namespaces().isEmpty(), "a question created a namespace");
    }
    try (NamespaceStore namespace = bench.open("team")) {
      bench.save(namespace, Chains.keys(manifest, 1, 4));
      assertEquals(Optional.empty(), bench.store().refusal(manifest), "it keeps four blocks");
    }
  }

  /** sglang#38428: health said all was well while nothing was backed up any more. */
  @Test
  @Rule("R-HEALTH-4")
  default void healthDetailNamesTheFailure() throws StoreException {
    StoreBench bench = bench();
    Optional<Store> failing = faults().failing();
    assumeTrue(failing.isPresent(), "this backend's tests cannot make it fail");
    try (Store store = failing.get();
        NamespaceStore namespace = store.open(bench.manifest("team"))) {
      String before = store.health().detail();
      BlockKeys keys = Chains.keys(bench.manifest("team"), 1, 1);
      StoreException e =
          assertThrows(StoreException.class, () -> namespace.lookup(keys, StoreBench.soon()));
      assertFalse(store.health().detail().isBlank(), "says nothing");
      assertNotEquals(
          before,
          store.health().detail(),
          "what health says is the same as before a call failed: " + e.getMessage());
    }
  }
}
