package io.kvasir.plugin.mooncake;

import io.kvasir.api.Deadline;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.store.Blocks;
import io.kvasir.api.store.StoreException;
import java.lang.foreign.MemorySegment;

/** One load or save: each different key once, and the frame of its first block as the value. */
abstract sealed class Transfer permits Loading, Saving {
  final Cluster cluster;
  final Naming naming;
  final Blocks blocks;
  final BlockKeys keys;
  final KeyCalls calls;
  final Deadline deadline;
  final long valueBytes;

  /** What is done, for messages. */
  final String what;

  Transfer(Cluster cluster, Naming naming, Blocks blocks, Deadline deadline, String what) {
    this.cluster = cluster;
    this.naming = naming;
    this.blocks = blocks;
    this.keys = blocks.keys();
    this.calls = new KeyCalls(cluster, naming, keys);
    this.deadline = deadline;
    this.valueBytes = keys.payloadBytes() + naming.trailerBytes();
    this.what = what + keys;
  }

  /** Sets each status. */
  final void run() {
    if (blocks.count() == 0) {
      return;
    }
    Distinct distinct = Distinct.of(keys);
    try {
      move(distinct.blocks(), distinct.count());
    } catch (StoreException e) {
      blocks.setRest(Ends.of(e), e);
    }
    for (int block = 0; block < blocks.count(); block++) {
      int first = distinct.blocks()[distinct.of()[block]];
      if (first != block) {
        repeat(first, block);
      }
    }
  }

  /** Moves blocks of different keys, of which the array may hold more, and sets their status. */
  abstract void move(int[] which, int count) throws StoreException;

  /** Ends a block as the first one of its key has ended. */
  void repeat(int first, int block) {
    blocks.set(block, blocks.status(first), blocks.cause(first));
  }

  /** A call of the library with a batch that is written down. */
  @FunctionalInterface
  interface Batch {
    long[] run(long handle, Scratch scratch, int count);
  }

  /** {@return a code for each of the blocks} */
  final long[] call(int[] which, int count, Batch batch) throws StoreException {
    byte[] prefix = naming.prefix(keys);
    long[] addresses = new long[count];
    for (int i = 0; i < count; i++) {
      addresses[i] = value(which[i]).address();
    }
    return cluster.call(
        what,
        deadline,
        blocks,
        (handle, scratch) -> {
          scratch.write(prefix, keys, which, count);
          for (int i = 0; i < count; i++) {
            scratch.value(i, addresses[i], valueBytes);
          }
          return batch.run(handle, scratch, count);
        });
  }

  /**
   * {@return the value of a block: the frame itself}
   *
   * @throws IllegalArgumentException if the frame is not of this store's {@link Frames}
   */
  final MemorySegment value(int block) {
    MemorySegment memory = blocks.frame(block).memory();
    if (!memory.isNative() || memory.byteSize() < valueBytes) {
      throw new IllegalArgumentException(
          "a frame of %d bytes for a value of %d; take frames as Store.frames() says"
              .formatted(memory.byteSize(), valueBytes));
    }
    return memory;
  }
}
