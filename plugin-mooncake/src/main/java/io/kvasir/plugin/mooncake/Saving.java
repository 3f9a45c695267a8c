package io.kvasir.plugin.mooncake;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.Deadline;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.store.Blocks;
import io.kvasir.api.store.StoreException;
import io.kvasir.api.store.StoreException.Kind;
import java.lang.foreign.MemorySegment;

/**
 * One save: a put of each different key, as long as it is worth trying. A put that is done does not
 * mean that the block can be read, as another writer may have begun it: that is asked.
 */
final class Saving {
  private final Cluster cluster;
  private final MooncakeNamespace namespace;
  private final Blocks from;
  private final BlockKeys keys;
  private final Deadline deadline;
  private final long valueBytes;

  Saving(Cluster cluster, MooncakeNamespace namespace, Blocks from, Deadline deadline) {
    this.cluster = cluster;
    this.namespace = namespace;
    this.from = from;
    this.keys = from.keys();
    this.deadline = deadline;
    this.valueBytes = keys.payloadBytes() + namespace.naming().trailerBytes();
  }

  /** Sets each status. */
  void run() {
    if (from.count() == 0) {
      return;
    }
    Distinct distinct = Distinct.of(keys);
    try {
      if (namespace.naming().trailerBytes() > 0) {
        seal(distinct);
      }
      put(distinct.blocks(), distinct.count());
    } catch (StoreException e) {
      from.setRest(Ends.of(e), e);
    }
    for (int block = 0; block < from.count(); block++) {
      int first = distinct.blocks()[distinct.of()[block]];
      from.set(block, from.status(first), from.cause(first));
    }
  }

  private void seal(Distinct distinct) {
    for (int i = 0; i < distinct.count(); i++) {
      int block = distinct.blocks()[i];
      Trailer.seal(keys, block, Values.of(from, block, valueBytes));
    }
  }

  private void put(int[] blocks, int count) throws StoreException {
    int[] open = java.util.Arrays.copyOf(blocks, count);
    for (int tried = 0; open.length > 0; tried++) {
      long[] codes = put(open);
      open = settled(open, codes, tried == Cluster.RETRIES);
      if (open.length > 0) {
        cluster.pause("the save of " + keys, deadline);
      }
    }
  }

  private long[] put(int[] blocks) throws StoreException {
    int count = blocks.length;
    byte[] prefix = namespace.naming().prefix(keys);
    MemorySegment[] values = Values.of(from, blocks, count, valueBytes);
    return cluster.call(
        "the save of " + keys,
        deadline,
        from,
        (handle, scratch) -> {
          scratch.write(prefix, keys, blocks, count);
          for (int i = 0; i < count; i++) {
            scratch.value(i, values[i].address(), valueBytes);
          }
          int code =
              cluster
                  .abi()
                  .batchPutFrom(
                      handle,
                      scratch.keys(),
                      scratch.buffers(),
                      scratch.sizes(),
                      count,
                      cluster.replication(),
                      scratch.results());
          return scratch.ints(code);
        });
  }

  /** Sets the status of the blocks that have ended. {@return those worth another try} */
  private int[] settled(int[] blocks, long[] codes, boolean last) throws StoreException {
    int[] done = new int[blocks.length];
    int doneCount = 0;
    int[] again = new int[blocks.length];
    int count = 0;
    for (int i = 0; i < blocks.length; i++) {
      if (codes[i] == Codes.OK) {
        done[doneCount++] = blocks[i];
      } else if (!last && (Codes.isPressure(codes[i]) || codes[i] == Codes.TRANSFER_FAIL)) {
        again[count++] = blocks[i];
      } else {
        StoreException failure = Codes.failure("the save of " + keys, codes[i]);
        from.set(blocks[i], Ends.of(failure), failure);
      }
    }
    cluster.metrics().add(Metrics.Count.PRESSURE_RETRIES, count);
    long[] readable = readable(done, doneCount);
    for (int i = 0; i < doneCount; i++) {
      if (readable[i] == 1) {
        from.set(done[i], BlockStatus.OK);
      } else if (!last) {
        again[count++] = done[i];
      } else {
        from.set(done[i], BlockStatus.TIMEOUT, notReadable(done[i], readable[i]));
      }
    }
    return java.util.Arrays.copyOf(again, count);
  }

  private long[] readable(int[] blocks, int count) throws StoreException {
    if (count == 0 || !cluster.verifySaves()) {
      long[] assumed = new long[count];
      java.util.Arrays.fill(assumed, 1);
      return assumed;
    }
    return cluster.call(
        "the look after the save of " + keys, deadline, null, namespace.exist(keys, blocks, count));
  }

  private StoreException notReadable(int block, long code) {
    return new StoreException(
        Kind.TIMEOUT,
        "%s: %s"
            .formatted(
                keys.flatKey(block),
                code < 0
                    ? "stored, and whether it can be read is not known: " + Codes.name(code)
                    : "another writer has begun it and not ended, so Mooncake stored nothing; it"
                        + " gives such a writer up after put_start_discard_timeout_sec"));
  }
}
