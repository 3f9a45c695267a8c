package io.kvasir.conformance.wrap;

import io.kvasir.api.Deadline;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.identity.NamespaceId;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.store.BlockLease;
import io.kvasir.api.store.Blocks;
import io.kvasir.api.store.NamespaceStore;
import io.kvasir.api.store.Store;
import io.kvasir.api.store.StoreException;
import java.util.function.Consumer;

/**
 * Passes every call on to another store, those that may fail by two methods: a wrapper says there
 * what is done around each of them.
 */
public abstract class InterceptingStore extends ForwardingStore {
  /** Stands before a store. */
  protected InterceptingStore(Store store) {
    super(store);
  }

  /**
   * A call of the store behind.
   *
   * @param <T> what it returns
   */
  @FunctionalInterface
  protected interface Action<T> {
    /**
     * {@return what the store returned, or null}
     *
     * @throws StoreException what the store threw
     */
    T run() throws StoreException;
  }

  /**
   * {@return what a call returned that answers for all that it was asked: by {@code action.run()}}
   *
   * @param what {@code open}, {@code lookup}, {@code remove} or {@code remove namespace}
   * @param on the namespace, or the keys
   * @throws StoreException what the call threw
   */
  protected abstract <T> T around(String what, Object on, Deadline deadline, Action<T> action)
      throws StoreException;

  /**
   * Makes a call that answers for each block: by {@code action.accept(blocks)}.
   *
   * @param what {@code load} or {@code save}
   */
  protected abstract void around(
      String what, Blocks blocks, Deadline deadline, Consumer<Blocks> action);

  @Override
  public final NamespaceStore open(NamespaceManifest manifest) throws StoreException {
    return new Intercepted(
        around("open", manifest, Deadline.never(), () -> store().open(manifest)));
  }

  @Override
  public final void remove(NamespaceId namespace, Deadline deadline) throws StoreException {
    around(
        "remove namespace",
        namespace,
        deadline,
        () -> {
          store().remove(namespace, deadline);
          return null;
        });
  }

  private final class Intercepted extends ForwardingNamespace {
    Intercepted(NamespaceStore namespace) {
      super(namespace);
    }

    @Override
    public BlockLease lookup(BlockKeys keys, Deadline deadline) throws StoreException {
      return around("lookup", keys, deadline, () -> super.lookup(keys, deadline));
    }

    @Override
    public void load(BlockLease lease, Blocks into, Deadline deadline) {
      around("load", into, deadline, blocks -> super.load(lease, blocks, deadline));
    }

    @Override
    public void save(Blocks from, Deadline deadline) {
      around("save", from, deadline, blocks -> super.save(blocks, deadline));
    }

    @Override
    public void remove(BlockKeys keys, Deadline deadline) throws StoreException {
      around(
          "remove",
          keys,
          deadline,
          () -> {
            super.remove(keys, deadline);
            return null;
          });
    }
  }
}
