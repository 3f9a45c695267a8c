package io.kvasir.benchmarks.policies;

import java.util.LinkedHashSet;

/** Least recently used. */
final class Lru implements Policy {
  private final int capacity;
  private final LinkedHashSet<Integer> blocks = new LinkedHashSet<>();

  Lru(int capacity) {
    this.capacity = capacity;
  }

  @Override
  public boolean has(int block) {
    return blocks.contains(block);
  }

  @Override
  public void use(int block) {
    blocks.addLast(block); // moves it if it is there
    if (blocks.size() > capacity) {
      blocks.removeFirst();
    }
  }
}
