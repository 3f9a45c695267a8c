package io.kvasir.plugin.mooncake;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.Deadline;
import io.kvasir.api.store.Blocks;
import io.kvasir.api.store.StoreException;
import io.kvasir.api.store.StoreException.Kind;
import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * One save: a put of each different key that is not there, as long as it is worth trying. A put
 * that is done does not mean that the block can be read, as another writer may have begun it: that
 * is asked.
 */
final class Saving extends Transfer {
  Saving(Cluster cluster, Naming naming, Blocks from, Deadline deadline) {
    super(cluster, naming, from, deadline, "the save of ");
  }

  @Override
  void move(int[] which, int count) throws StoreException {
    int[] open = absent(Arrays.copyOf(which, count));
    if (naming.trailerBytes() > 0) {
      for (int block : open) {
        Trailer.seal(keys, block, value(block));
      }
    }
    for (int tried = 0; open.length > 0; tried++) {
      long[] codes =
          call(
              open,
              open.length,
              (handle, s, n) ->
                  s.ints(
                      cluster
                          .abi()
                          .batchPutFrom(
                              handle,
                              s.keys(),
                              s.buffers(),
                              s.sizes(),
                              n,
                              cluster.replication(),
                              s.results())));
      open = settled(open, codes, tried == Cluster.RETRIES);
      if (open.length > 0) {
        cluster.pause(what, deadline);
      }
    }
  }

  /**
   * Ends what is there already, and leases it: a put of it would be done as well, and by then the
   * evictor may have taken it. {@return what is not there}
   */
  private int[] absent(int[] which) throws StoreException {
    if (!cluster.verifySaves()) {
      return which;
    }
    String look = "the look before the save of " + keys;
    long[] codes = cluster.call(look, deadline, null, calls.exist(which, which.length));
    if (Codes.isOutage(codes)) {
      throw Codes.failure(look, codes[0]);
    }
    int[] absent = new int[which.length];
    int count = 0;
    for (int i = 0; i < which.length; i++) {
      if (codes[i] == 1) {
        blocks.set(which[i], BlockStatus.OK);
      } else {
        absent[count++] = which[i];
      }
    }
    return Arrays.copyOf(absent, count);
  }

  /** Sets the status of the blocks that have ended. {@return those worth another try} */
  private int[] settled(int[] which, long[] codes, boolean last) throws StoreException {
    int[] done = new int[which.length];
    int doneCount = 0;
    int[] again = new int[which.length];
    int count = 0;
    for (int i = 0; i < which.length; i++) {
      if (codes[i] == Codes.OK) {
        done[doneCount++] = which[i];
      } else if (!last && (Codes.isPressure(codes[i]) || codes[i] == Codes.TRANSFER_FAIL)) {
        again[count++] = which[i];
      } else {
        StoreException failure = Codes.failure(what, codes[i]);
        blocks.set(which[i], Ends.of(failure), failure);
      }
    }
    cluster.metrics().add(Metrics.Count.PRESSURE_RETRIES, count);
    long[] readable = readable(done, doneCount);
    for (int i = 0; i < doneCount; i++) {
      if (readable[i] == 1) {
        blocks.set(done[i], BlockStatus.OK);
      } else if (!last) {
        again[count++] = done[i];
      } else {
        blocks.set(done[i], BlockStatus.TIMEOUT, notReadable(done[i], readable[i]));
      }
    }
    return Arrays.copyOf(again, count);
  }

  private long[] readable(int[] which, int count) throws StoreException {
    if (count == 0 || !cluster.verifySaves()) {
      long[] assumed = new long[count];
      Arrays.fill(assumed, 1);
      return assumed;
    }
    String look = "the look after the save of " + keys;
    long[] codes = cluster.call(look, deadline, null, calls.exist(which, count));
    int[] absent = IntStream.range(0, count).filter(i -> codes[i] == 0).toArray();
    if (absent.length > 0) {
      int[] unseen = IntStream.of(absent).map(i -> which[i]).toArray();
      long[] sizes = cluster.call(look, deadline, null, calls.sizes(unseen));
      for (int i = 0; i < absent.length; i++) {
        codes[absent[i]] = readable(sizes[i]);
      }
    }
    return codes;
  }

  /**
   * What is there no more was stored since the first look and then removed or evicted: putting it
   * again would undo that.
   */
  private static long readable(long size) {
    if (size >= 0 || size == Codes.OBJECT_NOT_FOUND) {
      return 1;
    }
    return size == Codes.REPLICA_IS_NOT_READY ? 0 : size;
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
