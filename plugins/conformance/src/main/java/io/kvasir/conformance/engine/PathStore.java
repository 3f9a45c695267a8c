package io.kvasir.conformance.engine;

import io.kvasir.api.store.Store;
import io.kvasir.api.store.TransferPath;
import io.kvasir.conformance.wrap.ForwardingStore;
import java.util.ArrayList;
import java.util.List;

/** A store with one more transfer path, asked first. */
public final class PathStore extends ForwardingStore {
  private final TransferPath path;

  /**
   * Stands before a store.
   *
   * @param path the path
   */
  public PathStore(Store store, TransferPath path) {
    super(store);
    this.path = path;
  }

  @Override
  public List<TransferPath> transferPaths() {
    List<TransferPath> paths = new ArrayList<>();
    paths.add(path);
    paths.addAll(store().transferPaths());
    return paths;
  }
}
