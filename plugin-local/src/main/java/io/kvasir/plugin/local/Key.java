package io.kvasir.plugin.local;

import static io.kvasir.plugin.local.Layout.U32;
import static io.kvasir.plugin.local.Layout.U64;

import java.lang.foreign.MemorySegment;

/**
 * The full identity of a block as record and trailer hold it: the first half of the namespace id,
 * group, shard and hash. That half of an id is enough because two namespaces with equal halves are
 * refused when the second one is opened.
 */
record Key(
    Bits128 namespace, int group, int shard, long hash0, long hash1, long hash2, long hash3) {

  static final int BYTES = 56;

  static Key read(MemorySegment from, long at) {
    return new Key(
        Bits128.read(from, at),
        from.get(U32, at + 16),
        from.get(U32, at + 20),
        from.get(U64, at + 24),
        from.get(U64, at + 32),
        from.get(U64, at + 40),
        from.get(U64, at + 48));
  }

  void write(MemorySegment to, long at) {
    namespace.write(to, at);
    to.set(U32, at + 16, group);
    to.set(U32, at + 20, shard);
    to.set(U64, at + 24, hash0);
    to.set(U64, at + 32, hash1);
    to.set(U64, at + 40, hash2);
    to.set(U64, at + 48, hash3);
  }
}
