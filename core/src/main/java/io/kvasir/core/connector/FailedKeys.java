package io.kvasir.core.connector;

import io.kvasir.api.identity.BlockKeys;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/** Blocks whose load failed a moment ago and which count as absent until a save or a delay. */
final class FailedKeys {
  private static final int MOST = 4096;
  private final long delayNanos;
  private final Map<Key, Long> until = new LinkedHashMap<>();
  private volatile boolean any;

  private record Key(int group, int shard, ByteBuffer hash) {
    static Key of(BlockKeys keys, int block) {
      return new Key(keys.group(), keys.shard(), ByteBuffer.wrap(keys.hash(block)));
    }
  }

  FailedKeys(Duration delay) {
    this.delayNanos = delay.toNanos();
  }

  /** {@return whether it is worth asking} */
  boolean any() {
    return any;
  }

  synchronized void add(BlockKeys keys, int block) {
    if (until.size() >= MOST) {
      until.remove(until.keySet().iterator().next());
    }
    until.put(Key.of(keys, block), System.nanoTime() + delayNanos);
    any = true;
  }

  synchronized void forget(BlockKeys keys, int block) {
    until.remove(Key.of(keys, block));
    any = !until.isEmpty();
  }

  synchronized boolean contains(BlockKeys keys, int block) {
    Key key = Key.of(keys, block);
    Long end = until.get(key);
    if (end == null) {
      return false;
    }
    if (System.nanoTime() - end < 0) {
      return true;
    }
    until.remove(key);
    any = !until.isEmpty();
    return false;
  }
}
