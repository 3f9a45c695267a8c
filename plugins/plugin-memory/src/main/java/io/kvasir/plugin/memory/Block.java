package io.kvasir.plugin.memory;

import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.identity.NamespaceId;
import java.nio.ByteBuffer;
import java.util.Comparator;

/** A committed block. Its bytes never change; the other fields belong to the {@link BlockIndex}. */
final class Block {
  /** Victims first: the least recently used chain, and of one chain its tail. */
  static final Comparator<Block> VICTIMS =
      Comparator.<Block>comparingLong(b -> b.lastUsed)
          .thenComparing(Comparator.<Block>comparingInt(b -> b.depth).reversed())
          .thenComparing(b -> b.key);

  /** What a block costs beside its payload: key, parent, index. */
  static final long OVERHEAD = 128;

  /**
   * Where a block is kept.
   *
   * @param hash 32 bytes, never changed
   */
  record Key(NamespaceId namespace, int group, int shard, ByteBuffer hash)
      implements Comparable<Key> {
    static Key of(BlockKeys keys, int block) {
      return of(keys, keys.hash(block));
    }

    static Key of(BlockKeys keys, byte[] hash) {
      return new Key(keys.namespace().id(), keys.group(), keys.shard(), ByteBuffer.wrap(hash));
    }

    @Override
    public int compareTo(Key other) {
      int order = namespace.compareTo(other.namespace);
      order = order != 0 ? order : Integer.compare(group, other.group);
      order = order != 0 ? order : Integer.compare(shard, other.shard);
      return order != 0 ? order : hash.compareTo(other.hash);
    }
  }

  final Key key;
  final Key parent; // null at the start of a chain
  final int depth;
  final byte[] bytes;
  final int crc;
  long lastUsed;
  int leases;

  Block(Key key, Key parent, int depth, byte[] bytes, int crc) {
    this.key = key;
    this.parent = parent;
    this.depth = depth;
    this.bytes = bytes;
    this.crc = crc;
  }

  long occupied() {
    return bytes.length + OVERHEAD;
  }
}
