package io.kvasir.conformance.wrap;

import io.kvasir.api.Deadline;
import io.kvasir.api.identity.NamespaceId;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.store.FrameSource;
import io.kvasir.api.store.NamespaceStore;
import io.kvasir.api.store.NamespaceSummary;
import io.kvasir.api.store.Store;
import io.kvasir.api.store.StoreException;
import io.kvasir.api.store.StoreHealth;
import io.kvasir.api.store.StoreUsage;
import io.kvasir.api.store.TransferPath;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Passes every call on to another store; a wrapper overrides those that it is about. */
public abstract class ForwardingStore implements Store {
  private final Store store;

  /** Stands before a store. */
  protected ForwardingStore(Store store) {
    this.store = store;
  }

  /** {@return the store behind} */
  protected final Store store() {
    return store;
  }

  @Override
  public NamespaceStore open(NamespaceManifest manifest) throws StoreException {
    return store.open(manifest);
  }

  @Override
  public List<NamespaceSummary> namespaces() throws StoreException {
    return store.namespaces();
  }

  @Override
  public void remove(NamespaceId namespace, Deadline deadline) throws StoreException {
    store.remove(namespace, deadline);
  }

  @Override
  public StoreUsage usage() throws StoreException {
    return store.usage();
  }

  @Override
  public StoreHealth health() {
    return store.health();
  }

  @Override
  public Map<String, Long> metrics() {
    return store.metrics();
  }

  @Override
  public Optional<String> refusal(NamespaceManifest manifest) {
    return store.refusal(manifest);
  }

  @Override
  public FrameSource frames() {
    return store.frames();
  }

  @Override
  public List<TransferPath> transferPaths() {
    return store.transferPaths();
  }

  @Override
  public void close() throws StoreException {
    store.close();
  }
}
