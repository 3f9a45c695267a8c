package io.kvasir.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.store.BlockLease;
import io.kvasir.api.store.Blocks;
import io.kvasir.api.store.NamespaceStore;
import io.kvasir.api.store.StoreException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/** A history on a store and on the model, side by side; the first difference fails. */
final class ModelRun implements AutoCloseable {
  private final StoreBench bench;
  private final ReferenceModel model;
  private final List<NamespaceManifest> manifests = new ArrayList<>();
  private final List<NamespaceStore> open = new ArrayList<>();
  private final List<BlockLease> leases = new ArrayList<>();

  /**
   * Begins a run in namespaces of its own: a store that is used again is as good as a new one.
   *
   * @param name of the run
   */
  ModelRun(StoreBench bench, String name) throws StoreException {
    this.bench = bench;
    this.model = new ReferenceModel(bench.claims().prefixClosed());
    for (int t = 0; t < Operation.TENANTS; t++) {
      manifests.add(Manifests.of(name + " " + t, 4096));
      open.add(bench.store().open(manifests.get(t)));
    }
  }

  void run(List<Operation> history) throws StoreException {
    for (Operation op : history) {
      step(op);
    }
    for (int t = 0; t < Operation.TENANTS; t++) {
      for (int text = 0; text < Operation.TEXTS; text++) {
        load(new Operation(Operation.Kind.LOAD, t, text, 0, Operation.BLOCKS));
      }
      counted(t);
    }
  }

  private void step(Operation op) throws StoreException {
    NamespaceStore namespace = open.get(op.tenant());
    switch (op.kind()) {
      case SAVE -> {
        bench.trySave(namespace, keys(op));
        model.save(op);
      }
      case LOAD -> load(op);
      case LOOKUP -> lookup(op).close();
      case LEASE -> leases.add(lookup(op));
      case REMOVE -> {
        namespace.remove(keys(op), StoreBench.soon());
        model.remove(op);
      }
      case REMOVE_ALL -> {
        bench.store().remove(manifests.get(op.tenant()).id(), StoreBench.soon());
        model.removeAll(op.tenant());
        reopen(op.tenant());
      }
      case REOPEN -> reopen(op.tenant());
      case RESTART -> {
        close();
        bench.reopen();
        for (int t = 0; t < Operation.TENANTS; t++) {
          open.set(t, bench.store().open(manifests.get(t)));
        }
      }
    }
  }

  private BlockKeys keys(Operation op) {
    NamespaceManifest manifest = manifests.get(op.tenant());
    return Chains.keys(manifest, op.text(), Operation.BLOCKS).slice(op.from(), op.to());
  }

  private void reopen(int tenant) throws StoreException {
    open.get(tenant).close();
    open.set(tenant, bench.store().open(manifests.get(tenant)));
  }

  private BlockLease lookup(Operation op) throws StoreException {
    BlockLease lease = open.get(op.tenant()).lookup(keys(op), StoreBench.soon());
    BitSet expected = model.blocks(op.tenant(), op.text());
    for (int i = op.from(); i < op.to(); i++) {
      assertEquals(expected.get(i), lease.present(i - op.from()), "block " + i + " at " + op);
    }
    return lease;
  }

  private void load(Operation op) throws StoreException {
    Blocks blocks = bench.load(open.get(op.tenant()), keys(op));
    BitSet expected = model.blocks(op.tenant(), op.text());
    for (int i = op.from(); i < op.to(); i++) {
      assertEquals(
          expected.get(i) ? BlockStatus.OK : BlockStatus.MISS,
          blocks.status(i - op.from()),
          "block " + i + " at " + op);
    }
  }

  private void counted(int tenant) throws StoreException {
    if (bench.claims().enumerate()) {
      long blocks =
          bench.store().namespaces().stream()
              .filter(n -> n.id().equals(manifests.get(tenant).id()))
              .mapToLong(io.kvasir.api.store.NamespaceSummary::blocks)
              .sum();
      assertEquals(model.count(tenant), blocks, "blocks listed of tenant " + tenant);
    }
  }

  @Override
  public void close() {
    leases.forEach(BlockLease::close);
    leases.clear();
    open.forEach(NamespaceStore::close);
  }
}
