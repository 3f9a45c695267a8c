package io.kvasir.plugin.mooncake;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.Deadline;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.store.Blocks;
import io.kvasir.api.store.StoreException;
import io.kvasir.api.store.StoreException.Kind;
import java.lang.foreign.MemorySegment;

/** One load: a get of each different key into the frame of its first block, and what it brought. */
final class Loading {
  private static final int FORCE = 1;

  private final Cluster cluster;
  private final Naming naming;
  private final Blocks into;
  private final BlockKeys keys;
  private final Deadline deadline;
  private final long valueBytes;

  Loading(Cluster cluster, Naming naming, Blocks into, Deadline deadline) {
    this.cluster = cluster;
    this.naming = naming;
    this.into = into;
    this.keys = into.keys();
    this.deadline = deadline;
    this.valueBytes = keys.payloadBytes() + naming.trailerBytes();
  }

  /** Sets each status. */
  void run() {
    if (into.count() == 0) {
      return;
    }
    Distinct distinct = Distinct.of(keys);
    try {
      long[] codes = get(distinct.blocks(), distinct.count());
      for (int i = 0; i < distinct.count(); i++) {
        judge(distinct.blocks()[i], codes[i]);
      }
    } catch (StoreException e) {
      into.setRest(Ends.of(e), e);
    }
    for (int block = 0; block < into.count(); block++) {
      int first = distinct.blocks()[distinct.of()[block]];
      if (first != block) {
        copy(first, block);
      }
    }
  }

  private long[] get(int[] blocks, int count) throws StoreException {
    byte[] prefix = naming.prefix(keys);
    MemorySegment[] values = Values.of(into, blocks, count, valueBytes);
    return cluster.call(
        "the load of " + keys,
        deadline,
        into,
        (handle, scratch) -> {
          scratch.write(prefix, keys, blocks, count);
          for (int i = 0; i < count; i++) {
            scratch.value(i, values[i].address(), valueBytes);
          }
          int code =
              cluster
                  .abi()
                  .batchGetInto(
                      handle,
                      scratch.keys(),
                      scratch.buffers(),
                      scratch.sizes(),
                      count,
                      scratch.results());
          return scratch.longs(code);
        });
  }

  /** Only a get of exactly the expected length counts. */
  private void judge(int block, long code) throws StoreException {
    if (code == valueBytes) {
      whole(block);
    } else if (code >= 0 || code == Codes.INVALID_PARAMS) { // the latter where the value is larger
      otherSize(block, code);
    } else if (Codes.isMiss(code)) {
      into.set(block, BlockStatus.MISS);
    } else {
      into.set(block, BlockStatus.IO, Codes.failure("the load of " + keys, code));
    }
  }

  /** A wrong checksum may be a read beside the evictor: only what is wrong twice is corrupt. */
  private void whole(int block) throws StoreException {
    BlockStatus status = check(block);
    if (status == BlockStatus.CORRUPT) {
      long code = get(new int[] {block}, 1)[0];
      if (code != valueBytes) {
        into.set(block, BlockStatus.MISS);
        return;
      }
      status = check(block);
    }
    if (status == BlockStatus.CORRUPT) {
      corrupt(block, "its checksum is wrong");
    } else {
      into.set(block, status);
    }
  }

  private BlockStatus check(int block) {
    return naming.trailerBytes() == 0
        ? BlockStatus.OK
        : Trailer.check(keys, block, into.frame(block).memory());
  }

  private void otherSize(int block, long code) throws StoreException {
    long size = code >= 0 ? code : one(block, Cluster::sizeOf);
    if (size == valueBytes) {
      into.set(block, BlockStatus.IO, Codes.failure("the load of " + keys, code));
    } else if (size < 0) {
      into.set(block, BlockStatus.MISS);
    } else if (naming.trailerBytes() == 0) { // not ours to remove
      into.set(block, BlockStatus.MISMATCH, odd(block, "%d bytes stand there".formatted(size)));
    } else {
      corrupt(block, "%d bytes stand there".formatted(size));
    }
  }

  /** There is no overwrite: what is corrupt is removed, so that a save can take its place. */
  private void corrupt(int block, String how) throws StoreException {
    into.set(block, BlockStatus.CORRUPT, odd(block, how));
    cluster.metrics().add(Metrics.Count.BLOCKS_REMOVED_CORRUPT, 1);
    long code = one(block, (c, handle, key) -> c.abi().remove(handle, key, FORCE));
    if (code != Codes.OK && code != Codes.OBJECT_NOT_FOUND) {
      into.set(
          block,
          BlockStatus.CORRUPT,
          odd(block, how + ", and removing it failed: " + Codes.name(code)));
    }
  }

  private StoreException odd(int block, String how) {
    return new StoreException(
        Kind.MISMATCH,
        "%s: %s, and a block has %d with %d behind it"
            .formatted(keys.flatKey(block), how, keys.payloadBytes(), naming.trailerBytes()));
  }

  /** A call with one key. */
  @FunctionalInterface
  private interface One {
    long run(Cluster cluster, long handle, long key);
  }

  private long one(int block, One call) throws StoreException {
    byte[] prefix = naming.prefix(keys);
    int[] blocks = {block};
    return cluster
        .call(
            "a look at " + keys,
            deadline,
            null,
            (handle, scratch) -> {
              scratch.write(prefix, keys, blocks, 1);
              return new long[] {call.run(cluster, handle, scratch.key(0))};
            })[0];
  }

  private void copy(int from, int to) {
    if (into.status(from) == BlockStatus.OK) {
      into.frame(to).payload().copyFrom(into.frame(from).payload());
    }
    into.set(to, into.status(from), into.cause(from));
  }
}
