package io.kvasir.benchmarks.policies;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;

/** Caffeine itself: W-TinyLFU whose window adapts. */
final class CaffeinePolicy implements Policy {
  private final Cache<Integer, Boolean> blocks;

  CaffeinePolicy(int capacity) {
    this.blocks =
        Caffeine.newBuilder()
            .maximumSize(capacity)
            .initialCapacity(capacity)
            .executor(Runnable::run)
            .build();
  }

  @Override
  public boolean has(int block) {
    return blocks.asMap().containsKey(block);
  }

  @Override
  public void use(int block) {
    if (blocks.getIfPresent(block) == null) {
      blocks.put(block, true);
    }
    blocks.cleanUp();
  }
}
