package io.kvasir.api.store;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.Deadline;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.identity.NamespaceId;
import io.kvasir.api.identity.NamespaceManifest;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Gives a store the edges that the contract asks for: closed is closed, closing twice does nothing,
 * and keys of another namespace are the caller's mistake. What lies between is the store's own.
 * Thread-safe; closing waits for nobody, so that a call that runs may end in any way.
 */
public final class GatedStore implements Store {
  private final Store store;
  private final AtomicBoolean closed = new AtomicBoolean();

  /** Puts the gate before a store. */
  public GatedStore(Store store) {
    this.store = store;
  }

  @Override
  public NamespaceStore open(NamespaceManifest manifest) throws StoreException {
    check();
    return new Gated(manifest, store.open(manifest));
  }

  @Override
  public List<NamespaceSummary> namespaces() throws StoreException {
    check();
    return store.namespaces();
  }

  @Override
  public void remove(NamespaceId namespace, Deadline deadline) throws StoreException {
    check();
    store.remove(namespace, deadline);
  }

  @Override
  public StoreUsage usage() throws StoreException {
    check();
    return store.usage();
  }

  @Override
  public StoreHealth health() {
    return closed.get() ? StoreHealth.down("the store is closed") : store.health();
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
    if (!closed.getAndSet(true)) {
      store.close();
    }
  }

  private void check() throws StoreException {
    if (closed.get()) {
      throw new StoreException(StoreException.Kind.CLOSED, "the store is closed");
    }
  }

  private final class Gated implements NamespaceStore {
    private final NamespaceManifest manifest;
    private final NamespaceStore namespace;
    private final AtomicBoolean left = new AtomicBoolean();

    Gated(NamespaceManifest manifest, NamespaceStore namespace) {
      this.manifest = manifest;
      this.namespace = namespace;
    }

    @Override
    public BlockLease lookup(BlockKeys keys, Deadline deadline) throws StoreException {
      if (gone(keys)) {
        throw new StoreException(StoreException.Kind.CLOSED, manifest + " is closed");
      }
      return namespace.lookup(keys, deadline);
    }

    @Override
    public void load(BlockLease lease, Blocks into, Deadline deadline) {
      if (gone(into.keys())) {
        into.setRest(BlockStatus.CLOSED, null);
      } else {
        namespace.load(lease, into, deadline);
      }
    }

    @Override
    public void save(Blocks from, Deadline deadline) {
      if (gone(from.keys())) {
        from.setRest(BlockStatus.CLOSED, null);
      } else {
        namespace.save(from, deadline);
      }
    }

    @Override
    public void remove(BlockKeys keys, Deadline deadline) throws StoreException {
      if (gone(keys)) {
        throw new StoreException(StoreException.Kind.CLOSED, manifest + " is closed");
      }
      namespace.remove(keys, deadline);
    }

    @Override
    public void close() {
      if (!left.getAndSet(true)) {
        namespace.close();
      }
    }

    private boolean gone(BlockKeys keys) {
      if (!keys.namespace().equals(manifest)) {
        throw new IllegalArgumentException(
            "%s in %s: keys belong to the namespace that made them".formatted(keys, manifest));
      }
      return closed.get() || left.get();
    }
  }
}
