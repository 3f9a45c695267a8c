package io.kvasir.conformance.engine;

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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A store with one more transfer path, asked first.
 *
 * @param store all the rest
 * @param path the path
 */
public record PathStore(Store store, TransferPath path) implements Store {
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
  public FrameSource frames() {
    return store.frames();
  }

  @Override
  public List<TransferPath> transferPaths() {
    List<TransferPath> paths = new ArrayList<>();
    paths.add(path);
    paths.addAll(store.transferPaths());
    return paths;
  }

  @Override
  public void close() throws StoreException {
    store.close();
  }
}
