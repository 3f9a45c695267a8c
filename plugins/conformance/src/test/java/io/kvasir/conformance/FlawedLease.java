package io.kvasir.conformance;

import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.store.BlockLease;
import java.util.BitSet;
import java.util.List;

/** A lease of a {@link FlawedNamespace}. */
final class FlawedLease implements BlockLease {
  private final FlawedNamespace namespace;
  private final BlockKeys keys;
  private final BitSet present;
  private final List<FlawedDisk.Entry> entries;
  private boolean ended;

  FlawedLease(
      FlawedNamespace namespace, BlockKeys keys, BitSet present, List<FlawedDisk.Entry> entries) {
    this.namespace = namespace;
    this.keys = keys;
    this.present = present;
    this.entries = entries;
  }

  @Override
  public BlockKeys keys() {
    return keys;
  }

  @Override
  public boolean present(int block) {
    return present.get(block);
  }

  @Override
  public boolean held() {
    synchronized (namespace.store()) {
      return !ended;
    }
  }

  @Override
  public boolean renew() {
    return held();
  }

  @Override
  public void close() {
    synchronized (namespace.store()) {
      if (ended || namespace.store().has(Flaw.LEASE_NEVER_ENDS)) {
        return;
      }
      ended = true;
      namespace.ended(this);
      if (namespace.store().losesThisLease()) {
        return;
      }
      entries.forEach(e -> e.leases = Math.max(0, e.leases - 1));
    }
  }
}
