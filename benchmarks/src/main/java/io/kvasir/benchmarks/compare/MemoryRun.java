package io.kvasir.benchmarks.compare;

import io.kvasir.api.Deadline;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.store.BlockLease;
import io.kvasir.api.store.Blocks;
import io.kvasir.api.store.NamespaceStore;
import io.kvasir.api.store.Store;
import io.kvasir.benchmarks.common.Chains;
import io.kvasir.benchmarks.common.Stores;
import io.kvasir.conformance.speed.Callers;
import io.kvasir.conformance.speed.Interleaved;
import io.kvasir.conformance.speed.Round;
import java.lang.foreign.MemorySegment;
import java.util.Map;

/** G3: gets of plugin-memory between rounds of {@code memcpy} over as much memory. */
final class MemoryRun {
  private static final int BATCH = 32;
  private static final int BLOCKS = 256;
  private static final int ROUNDS = 15;

  private MemoryRun() {}

  /**
   * Takes the bytes of a block and prints the {@link Figure} of the gets, by memcpy, as JSON in the
   * last line.
   */
  public static void main(String[] arguments) throws Exception {
    int block = Integer.parseInt(arguments[0]);
    Chains chains = new Chains(block);
    BlockKeys prompt = chains.prompt(0, BLOCKS);
    long bytes = (long) BLOCKS * block;
    Interleaved rounds = new Interleaved();
    try (Store store = Stores.open("memory", Map.of("capacity", "" + 2 * bytes));
        NamespaceStore namespace = store.open(chains.manifest());
        FramePool source = new FramePool(BLOCKS, block, true);
        FramePool frames = new FramePool(BATCH, block, true)) {
      for (int at = 0; at < BLOCKS; at += BATCH) {
        Blocks batch = new Blocks(prompt.slice(at, at + BATCH), source.frames(at, BATCH, block));
        for (int i = 0; i < BATCH; i++) {
          Callers.stamp(batch, i);
        }
        namespace.save(batch, Deadline.never());
        Stores.check(batch);
      }
      for (int r = -3; r < ROUNDS; r++) {
        Round copied = Round.time(bytes, () -> copy(source, frames));
        Round got = Round.time(bytes, () -> get(namespace, prompt, frames));
        if (r >= 0) {
          rounds.raw(copied);
          rounds.round(got);
        }
      }
      rounds.raw(Round.time(bytes, () -> copy(source, frames)));
    }
    System.out.println(Figure.of(Measure.GET_WARM, rounds).json());
  }

  private static void copy(FramePool source, FramePool frames) {
    for (int i = 0; i < source.frames(); i++) {
      MemorySegment.copy(
          source.frame(i), 0, frames.frame(i % BATCH), 0, frames.frame(0).byteSize());
    }
  }

  private static void get(NamespaceStore namespace, BlockKeys prompt, FramePool frames)
      throws Exception {
    for (int at = 0; at < BLOCKS; at += BATCH) {
      Blocks batch =
          new Blocks(prompt.slice(at, at + BATCH), frames.frames(0, BATCH, prompt.payloadBytes()));
      try (BlockLease lease = namespace.lookup(batch.keys(), Deadline.never())) {
        namespace.load(lease, batch, Deadline.never());
      }
      Stores.check(batch);
      for (int i = 0; i < BATCH; i++) {
        Callers.checkStamp(batch, i);
      }
    }
  }
}
