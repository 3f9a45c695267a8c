package io.kvasir.api.store;

import io.kvasir.api.Deadline;
import io.kvasir.api.identity.NamespaceId;
import io.kvasir.api.identity.NamespaceManifest;
import java.util.List;
import java.util.Map;

/**
 * SPI: an open backend. Methods block, are called from several threads at once, and end by their
 * deadline.
 */
public interface Store extends StoreView {
  /**
   * Opens a namespace, or creates it with this manifest. A manifest that is there is compared with
   * its stored bytes. Idempotent; two open ones of the same id see the same blocks.
   *
   * @throws StoreException {@code MISMATCH} if the stored manifest is corrupt or another one;
   *     nothing is changed then
   */
  NamespaceStore open(NamespaceManifest manifest) throws StoreException;

  /**
   * Removes one namespace and nothing else: unreachable at once, space later. Absent: nothing
   * happens. Safe to repeat. Open ones of it find nothing from then on.
   *
   * @throws StoreException {@code UNSUPPORTED} without the capability {@code scopedDelete}
   */
  default void remove(NamespaceId namespace, Deadline deadline) throws StoreException {
    throw StoreException.unsupported("scoped delete");
  }

  /**
   * {@return what the store has counted since it was opened and what it has now, by name:
   * lower-case words with dots, the unit last where it is not a plain count ({@code
   * read.p99.micros}). Cheap; never touches the device, never throws}
   */
  default Map<String, Long> metrics() {
    return Map.of();
  }

  /** {@return where the core's frames for this store come from} */
  default FrameSource frames() {
    return FrameSource.HOST;
  }

  /**
   * {@return paths for block memory that the host cannot address; the core asks them in this order
   * before it falls back to the host path}
   */
  default List<TransferPath> transferPaths() {
    return List.of();
  }
}
