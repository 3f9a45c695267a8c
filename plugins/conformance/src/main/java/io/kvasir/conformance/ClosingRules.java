package io.kvasir.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.store.BlockLease;
import io.kvasir.api.store.Blocks;
import io.kvasir.api.store.NamespaceStore;
import io.kvasir.api.store.Store;
import io.kvasir.api.store.StoreException;
import io.kvasir.api.store.StoreHealth;
import java.time.Duration;
import java.util.BitSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** R-CLOSE: closing ends things, in time and for good. */
public interface ClosingRules extends StoreRules {
  @Test
  @Rule("R-CLOSE-1")
  default void whatComesAfterTheCloseEndsClosed() throws StoreException {
    StoreBench bench = bench();
    BlockKeys keys = Chains.keys(bench.manifest("team"), 1, 2);
    Store store = bench.store();
    NamespaceStore namespace = bench.open("team");
    bench.save(namespace, keys);
    BlockLease lease = namespace.lookup(keys, StoreBench.soon());
    store.close();
    store.close();
    endClosed(namespace, keys, lease);
    closed(() -> store.open(bench.manifest("team")));
    if (bench.claims().enumerate()) {
      closed(store::namespaces);
    }
    if (bench.claims().usage()) {
      closed(store::usage);
    }
    if (bench.claims().scopedDelete()) {
      closed(() -> store.remove(bench.manifest("team").id(), StoreBench.soon()));
    }
    assertFalse(lease.held());
    assertFalse(lease.renew());
    lease.close();
    namespace.close();
  }

  @Test
  @Rule("R-CLOSE-2")
  default void closedNamespaceIsClosedAndAnotherOfTheSameIdIsNot() throws StoreException {
    StoreBench bench = bench();
    BlockKeys keys = Chains.keys(bench.manifest("team"), 1, 2);
    try (NamespaceStore other = bench.open("team")) {
      NamespaceStore namespace = bench.open("team");
      bench.save(namespace, keys);
      namespace.close();
      namespace.close();
      endClosed(namespace, keys, BlockLease.hint(keys, new BitSet()));
      bench.hit(other, keys);
    }
  }

  private void endClosed(NamespaceStore namespace, BlockKeys keys, BlockLease lease) {
    closed(() -> namespace.lookup(keys, StoreBench.soon()));
    Blocks blocks = bench().empty(keys);
    namespace.load(lease, blocks, StoreBench.soon());
    StoreBench.all(BlockStatus.CLOSED, blocks);
    blocks = bench().empty(keys);
    namespace.save(blocks, StoreBench.soon());
    StoreBench.all(BlockStatus.CLOSED, blocks);
    if (bench().claims().scopedDelete()) {
      closed(() -> namespace.remove(keys, StoreBench.soon()));
    }
  }

  private static void closed(Executable call) {
    assertEquals(StoreException.Kind.CLOSED, assertThrows(StoreException.class, call).kind());
  }

  @Test
  @Rule("R-CLOSE-3")
  default void closeBesideRunningCallsEndsInTime() throws StoreException {
    StoreBench bench = bench();
    Store store = bench.store();
    NamespaceStore namespace = bench.open("team");
    Crew crew = new Crew();
    for (int worker = 0; worker < 2; worker++) {
      int first = worker * 1000;
      crew.start(
          "worker " + worker,
          () -> {
            boolean open = true;
            for (int text = first; open; text++) {
              BlockKeys keys = Chains.keys(bench.manifest("team"), text, 2);
              open = bench.trySave(namespace, keys).status(0) != BlockStatus.CLOSED;
            }
          });
    }
    long start = System.nanoTime();
    store.close();
    Duration took = Duration.ofNanos(System.nanoTime() - start);
    crew.join();
    assertTrue(took.compareTo(Duration.ofSeconds(5)) < 0, "the close took " + took);
  }

  @Test
  @Rule("R-CLOSE-4")
  default void healthIsUpWhenAllWorksAndNotOnceClosed() throws StoreException {
    StoreBench bench = bench();
    BlockKeys keys = Chains.keys(bench.manifest("team"), 1, 2);
    Store store = bench.store();
    assertEquals(StoreHealth.State.UP, store.health().state(), "a new store");
    try (NamespaceStore namespace = bench.open("team")) {
      bench.miss(namespace, keys);
      bench.save(namespace, keys);
      bench.hit(namespace, keys);
    }
    if (!faults().troubled()) {
      assertEquals(StoreHealth.State.UP, store.health().state(), "a miss is no failure");
    }
    assertFalse(store.health().detail().isBlank());
    store.close();
    assertNotEquals(StoreHealth.State.UP, store.health().state(), "a closed store");
  }
}
