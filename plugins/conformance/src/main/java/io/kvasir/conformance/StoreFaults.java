package io.kvasir.conformance;

import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.store.Store;
import io.kvasir.api.store.StoreException;
import java.util.Optional;

/**
 * What a backend's tests can make their backend do. What they cannot is empty or false, and the
 * rule is skipped with that reason.
 */
public interface StoreFaults {
  /** {@return the store, perhaps opened anew, after one bit of a stored block was flipped} */
  Optional<Store> damageBlock(StoreBench bench, BlockKeys keys, int block) throws StoreException;

  /** {@return the store, perhaps opened anew, after one bit of a stored manifest was flipped} */
  Optional<Store> damageManifest(StoreBench bench, NamespaceManifest manifest)
      throws StoreException;

  /** {@return a store each of whose calls fails} */
  Optional<Store> failing() throws StoreException;

  /** {@return a store each of whose calls hangs until its deadline} */
  Optional<Store> hanging() throws StoreException;

  /**
   * {@return what opens where the process that had the store open was killed now; the caller closes
   * it}
   */
  default Optional<StoreBench> crashed(StoreBench bench) {
    return Optional.empty();
  }

  /**
   * {@return whether calls of this test's store failed by themselves: health must not be UP then}
   */
  default boolean troubled() {
    return false;
  }
}
