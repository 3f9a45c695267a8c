package io.kvasir.plugin.local;

import io.kvasir.api.store.StoreHealth;
import java.io.IOException;
import java.util.Collection;
import java.util.Optional;

/** What is wrong with the slabs of a store, in an operator's words. */
final class Troubles {
  private Troubles() {}

  /** The first trouble of any slab, with the mode before it. */
  static StoreHealth health(String mode, Collection<Slab> slabs) {
    return slabs.stream()
        .map(Troubles::of)
        .flatMap(Optional::stream)
        .findFirst()
        .map(trouble -> new StoreHealth(StoreHealth.State.DEGRADED, mode + ": " + trouble))
        .orElseGet(() -> StoreHealth.up(mode));
  }

  private static Optional<String> of(Slab slab) {
    String name = SlabFile.name(slab.header().slotBytes());
    IOException failure = slab.failure();
    Throwable trouble = slab.trouble();
    int corrupt = slab.corruptBlocks();
    Optional<String> lost =
        slab.damages().stream()
            .filter(Recovery.Damage::lossy)
            .map(Recovery.Damage::text)
            .findFirst();
    String text =
        failure != null
            ? "reads only since a write of %s failed (%s); open the store again"
                .formatted(name, failure)
            : trouble != null
                ? "the last operation on %s failed (%s); check disk and space"
                    .formatted(name, trouble)
                : corrupt > 0
                    ? "%d blocks of %s were corrupt and are out of use; check the disk"
                        .formatted(corrupt, name)
                    : lost.map(damage -> damage + "; check the disk").orElse(null);
    return Optional.ofNullable(text);
  }
}
