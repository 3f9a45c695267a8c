package io.kvasir.benchmarks.policies;

import java.util.HashMap;
import java.util.Map;

/**
 * SIEVE (Zhang et al., NSDI'24): a queue in order of arrival and a hand that goes from old to new,
 * spares what was used since it last came by, and takes the first that was not.
 */
final class Sieve implements Policy {
  private static final class Node {
    final int block;
    boolean used;
    Node newer;
    Node older;

    Node(int block) {
      this.block = block;
    }
  }

  private final int capacity;
  private final Map<Integer, Node> nodes = new HashMap<>();
  private Node newest;
  private Node oldest;
  private Node hand;

  Sieve(int capacity) {
    this.capacity = capacity;
  }

  @Override
  public boolean has(int block) {
    return nodes.containsKey(block);
  }

  @Override
  public void use(int block) {
    Node node = nodes.get(block);
    if (node != null) {
      node.used = true;
      return;
    }
    if (nodes.size() == capacity) {
      evict();
    }
    node = new Node(block);
    node.older = newest;
    if (newest == null) {
      oldest = node;
    } else {
      newest.newer = node;
    }
    newest = node;
    nodes.put(block, node);
  }

  private void evict() {
    Node victim = hand == null ? oldest : hand;
    while (victim.used) {
      victim.used = false;
      victim = victim.newer == null ? oldest : victim.newer;
    }
    hand = victim.newer;
    if (victim.older == null) {
      oldest = victim.newer;
    } else {
      victim.older.newer = victim.newer;
    }
    if (victim.newer == null) {
      newest = victim.older;
    } else {
      victim.newer.older = victim.older;
    }
    nodes.remove(victim.block);
  }
}
