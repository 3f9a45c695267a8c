package io.kvasir.conformance;

import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;

/** What a store of unlimited room holds: the blocks of each tenant's texts. */
final class ReferenceModel {
  private final boolean prefixClosed;
  private final Map<Integer, Map<Integer, BitSet>> tenants = new HashMap<>();

  ReferenceModel(boolean prefixClosed) {
    this.prefixClosed = prefixClosed;
  }

  /** {@return the blocks of a text that are there} */
  BitSet blocks(int tenant, int text) {
    return tenants
        .computeIfAbsent(tenant, _ -> new HashMap<>())
        .computeIfAbsent(text, _ -> new BitSet());
  }

  void save(Operation op) {
    BitSet blocks = blocks(op.tenant(), op.text());
    if (!prefixClosed || op.from() == 0 || blocks.get(op.from() - 1)) {
      blocks.set(op.from(), op.to());
    }
  }

  void remove(Operation op) {
    blocks(op.tenant(), op.text()).clear(op.from(), prefixClosed ? Operation.BLOCKS : op.to());
  }

  void removeAll(int tenant) {
    tenants.remove(tenant);
  }

  long count(int tenant) {
    return tenants.getOrDefault(tenant, Map.of()).values().stream()
        .mapToLong(BitSet::cardinality)
        .sum();
  }
}
