package io.kvasir.conformance.wrap;

import io.kvasir.api.Deadline;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.store.BlockLease;
import io.kvasir.api.store.Blocks;
import io.kvasir.api.store.NamespaceStore;
import io.kvasir.api.store.StoreException;

/** Passes every call on to another namespace; a wrapper overrides those that it is about. */
public abstract class ForwardingNamespace implements NamespaceStore {
  private final NamespaceStore namespace;

  /** Stands before a namespace. */
  protected ForwardingNamespace(NamespaceStore namespace) {
    this.namespace = namespace;
  }

  /** {@return the namespace behind} */
  protected final NamespaceStore namespace() {
    return namespace;
  }

  @Override
  public BlockLease lookup(BlockKeys keys, Deadline deadline) throws StoreException {
    return namespace.lookup(keys, deadline);
  }

  @Override
  public void load(BlockLease lease, Blocks into, Deadline deadline) {
    namespace.load(lease, into, deadline);
  }

  @Override
  public void save(Blocks from, Deadline deadline) {
    namespace.save(from, deadline);
  }

  @Override
  public void remove(BlockKeys keys, Deadline deadline) throws StoreException {
    namespace.remove(keys, deadline);
  }

  @Override
  public void close() {
    namespace.close();
  }
}
