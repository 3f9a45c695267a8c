package io.kvasir.plugin.local;

import java.util.Arrays;

/**
 * By the number of a namespace: how many blocks and bytes it has, and when it ended last. Not
 * thread-safe.
 */
final class NamespaceCounts {
  private long[] blocks = new long[0];
  private long[] bytes = new long[0];
  private long[] endedBelow = new long[0];

  private void ensure(int namespace) {
    if (namespace >= blocks.length) {
      int length = Math.max(namespace + 1, blocks.length + blocks.length / 8);
      blocks = Arrays.copyOf(blocks, length);
      bytes = Arrays.copyOf(bytes, length);
      endedBelow = Arrays.copyOf(endedBelow, length);
    }
  }

  void add(int namespace, long length) {
    ensure(namespace);
    blocks[namespace]++;
    bytes[namespace] += length;
  }

  void remove(int namespace, long length) {
    blocks[namespace]--;
    bytes[namespace] -= length;
  }

  long blocks(int namespace) {
    return namespace < blocks.length ? blocks[namespace] : 0;
  }

  long bytes(int namespace) {
    return namespace < bytes.length ? bytes[namespace] : 0;
  }

  /** The sequence below which all puts of the namespace have ended; 0 if none has. */
  long endedBelow(int namespace) {
    return endedBelow[namespace];
  }

  void end(int namespace, long seq) {
    ensure(namespace);
    blocks[namespace] = 0;
    bytes[namespace] = 0;
    endedBelow[namespace] = seq;
  }
}
