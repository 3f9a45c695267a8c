package io.kvasir.plugin.mooncake;

import io.kvasir.api.Deadline;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.store.BlockLease;
import io.kvasir.api.store.StoreException;
import java.time.Duration;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The leases of a store. Mooncake gives one of its own (10 s unless the master says otherwise) with
 * each question after a key, which keeps the key from the evictor; asking again while ours is held
 * renews it. Bounded in bytes, or a busy lookup would leave nothing to evict. Thread-safe.
 */
final class Leases {
  private final long mostBytes;
  private final Map<MooncakeLease, MooncakeNamespace> held = new LinkedHashMap<>(); // by itself
  private long bytes;

  Leases(long mostBytes) {
    this.mostBytes = mostBytes;
  }

  /** {@return a lease of the blocks that were found, or a hint where they are too many} */
  BlockLease take(MooncakeNamespace owner, BlockKeys keys, BitSet present) {
    MooncakeLease lease = new MooncakeLease(this, keys, present);
    synchronized (held) {
      dropTheExpired();
      long more = bytes(lease);
      if (more > 0 && bytes + more > mostBytes) {
        return BlockLease.hint(keys, present);
      }
      bytes += more;
      held.put(lease, owner);
      return lease;
    }
  }

  private static long bytes(MooncakeLease lease) {
    return lease.blocks() * lease.keys().payloadBytes();
  }

  void ended(MooncakeLease lease) {
    synchronized (held) {
      if (held.remove(lease) != null) {
        bytes -= bytes(lease);
      }
    }
  }

  private void dropTheExpired() {
    Set<MooncakeLease> over =
        held.keySet().stream().filter(l -> !l.held()).collect(Collectors.toSet());
    over.forEach(this::ended);
  }

  /** Ends the leases of a namespace that is closed or removed. */
  void endAll(MooncakeNamespace owner) {
    of(owner).forEach(MooncakeLease::close);
  }

  private Set<MooncakeLease> of(MooncakeNamespace owner) {
    synchronized (held) {
      return held.entrySet().stream()
          .filter(e -> e.getValue() == owner)
          .map(Map.Entry::getKey)
          .collect(Collectors.toSet());
    }
  }

  /** Asks after every leased block again, so that Mooncake's own leases go on. */
  void renewMooncakes(Duration within) throws StoreException {
    Map<MooncakeLease, MooncakeNamespace> now;
    synchronized (held) {
      dropTheExpired();
      now = new LinkedHashMap<>(held);
    }
    for (Map.Entry<MooncakeLease, MooncakeNamespace> e : now.entrySet()) {
      if (e.getKey().held()) {
        var _ = e.getValue().ask(e.getKey().keys(), Deadline.after(within));
      }
    }
  }

  /** {@return the blocks that leases keep; one that two of them keep counts twice} */
  long blocks() {
    synchronized (held) {
      return held.keySet().stream().mapToLong(MooncakeLease::blocks).sum();
    }
  }
}
