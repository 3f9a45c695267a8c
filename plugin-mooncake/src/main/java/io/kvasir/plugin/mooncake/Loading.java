package io.kvasir.plugin.mooncake;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.Deadline;
import io.kvasir.api.store.Blocks;
import io.kvasir.api.store.StoreException;
import io.kvasir.api.store.StoreException.Kind;

/** One load: a get of each different key into the frame of its first block, and what it brought. */
final class Loading extends Transfer {
  Loading(Cluster cluster, Naming naming, Blocks into, Deadline deadline) {
    super(cluster, naming, into, deadline, "the load of ");
  }

  @Override
  void move(int[] which, int count) throws StoreException {
    long[] codes = get(which, count);
    for (int i = 0; i < count; i++) {
      judge(which[i], codes[i]);
    }
  }

  private long[] get(int[] which, int count) throws StoreException {
    return call(
        which,
        count,
        (handle, s, n) ->
            s.longs(
                cluster
                    .abi()
                    .batchGetInto(handle, s.keys(), s.buffers(), s.sizes(), n, s.results())));
  }

  /** Only a get of exactly the expected length counts. */
  private void judge(int block, long code) throws StoreException {
    if (code == valueBytes) {
      whole(block);
    } else if (code >= 0 || code == Codes.INVALID_PARAMS) { // the latter where the value is larger
      otherSize(block, code);
    } else if (Codes.isMiss(code)) {
      blocks.set(block, BlockStatus.MISS);
    } else {
      blocks.set(block, BlockStatus.IO, Codes.failure(what, code));
    }
  }

  /** A wrong checksum may be a read beside the evictor: only what is wrong twice is corrupt. */
  private void whole(int block) throws StoreException {
    BlockStatus status = check(block);
    if (status == BlockStatus.CORRUPT) {
      long code = get(new int[] {block}, 1)[0];
      if (code != valueBytes) {
        blocks.set(block, BlockStatus.MISS);
        return;
      }
      status = check(block);
    }
    if (status == BlockStatus.CORRUPT) {
      corrupt(block, "its checksum is wrong");
    } else {
      blocks.set(block, status);
    }
  }

  private BlockStatus check(int block) {
    return naming.trailerBytes() == 0
        ? BlockStatus.OK
        : Trailer.check(keys, block, blocks.frame(block).memory());
  }

  private void otherSize(int block, long code) throws StoreException {
    long size = code >= 0 ? code : one(calls.sizes(block));
    if (size == valueBytes) {
      blocks.set(block, BlockStatus.IO, Codes.failure(what, code));
    } else if (size < 0) {
      blocks.set(block, BlockStatus.MISS);
    } else if (naming.trailerBytes() == 0) { // not ours to remove
      blocks.set(block, BlockStatus.MISMATCH, odd(block, "%d bytes stand there".formatted(size)));
    } else {
      corrupt(block, "%d bytes stand there".formatted(size));
    }
  }

  /** There is no overwrite: what is corrupt is removed, so that a save can take its place. */
  private void corrupt(int block, String how) throws StoreException {
    blocks.set(block, BlockStatus.CORRUPT, odd(block, how));
    cluster.metrics().add(Metrics.Count.BLOCKS_REMOVED_CORRUPT, 1);
    long code = one(calls.removal(new int[] {block}, 1));
    if (code != Codes.OK && code != Codes.OBJECT_NOT_FOUND) {
      blocks.set(
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

  private long one(Calls.Work work) throws StoreException {
    return cluster.call("a look at " + keys, deadline, null, work)[0];
  }

  @Override
  void repeat(int first, int block) {
    if (blocks.status(first) == BlockStatus.OK) {
      blocks.frame(block).payload().copyFrom(blocks.frame(first).payload());
    }
    super.repeat(first, block);
  }
}
