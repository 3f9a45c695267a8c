package io.kvasir.api.store;

import io.kvasir.api.identity.NamespaceManifest;
import java.util.List;
import java.util.Optional;

/**
 * What can be asked of a store without changing it: one that is open ({@link Store}), or one that
 * is only looked at ({@link StoreProvider#inspect}). Safe for several threads.
 */
public interface StoreView extends AutoCloseable {
  /**
   * {@return all namespaces present, also those that nobody has open}
   *
   * @throws StoreException {@code UNSUPPORTED} without the capability {@code enumerate}
   */
  default List<NamespaceSummary> namespaces() throws StoreException {
    throw StoreException.unsupported("enumerate");
  }

  /**
   * {@return what the store holds and occupies}
   *
   * @throws StoreException {@code UNSUPPORTED} without the capability {@code usage}
   */
  default StoreUsage usage() throws StoreException {
    throw StoreException.unsupported("usage");
  }

  /** {@return the truth about the last real operations; never touches the device, never throws} */
  StoreHealth health();

  /**
   * {@return why no block of such a namespace could be kept, and the way out; empty if they could,
   * as far as is known without opening it}
   *
   * @param manifest of a namespace that need not be there
   */
  default Optional<String> refusal(NamespaceManifest manifest) {
    return Optional.empty();
  }

  /**
   * Closes the store. Ends within the context's close timeout and says in the log what it
   * abandoned. Repeating does nothing. What comes later ends {@code CLOSED}. The default is for a
   * store that holds nothing open.
   */
  @Override
  default void close() throws StoreException {}
}
