package io.kvasir.benchmarks.compare;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.Deadline;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.store.BlockLease;
import io.kvasir.api.store.Blocks;
import io.kvasir.api.store.NamespaceStore;
import io.kvasir.api.store.Store;
import io.kvasir.benchmarks.common.Chains;
import io.kvasir.benchmarks.common.SparseStore;
import io.kvasir.conformance.speed.Median;
import io.kvasir.plugin.local.LookupProbe;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.json.JsonMapper;

/**
 * G4 to G6: a store with very many blocks; how it opens after a crash, what it takes, how it finds.
 */
final class IndexRun {
  private static final int A_MILLION = 1_000_000; // more say the same and take their time

  /**
   * What one size came to.
   *
   * @param blocks in the store
   * @param replayedPages of the log, of 32 puts each
   * @param firstOpenMillis after the crash, in a JVM that has opened no such store before
   * @param openMillis the median of the later half, in a warm JVM, each after such a crash
   * @param opens how many those were
   * @param bytesPerBlock heap and native memory of the open store, by its blocks
   * @param indexBytesPerBlock of such bytes, those for fingerprints and index
   * @param lookups what it takes to find blocks in it
   * @param lost blocks that were there before the crash and are not found
   * @param wrong blocks that hold other bytes
   */
  record Result(
      int blocks,
      int replayedPages,
      double firstOpenMillis,
      double openMillis,
      int opens,
      double bytesPerBlock,
      double indexBytesPerBlock,
      Lookups.Figures lookups,
      long lost,
      int wrong) {
    static Result of(String json) {
      return new JsonMapper().readValue(json, Result.class);
    }
  }

  private final Chains chains;
  private final SparseStore sparse;

  private IndexRun(Path directory, int blocks, int blockBytes, int replayedPages) throws Exception {
    this.chains = new Chains(blockBytes);
    this.sparse = new SparseStore(directory, chains, blocks, replayedPages);
  }

  /**
   * Takes a directory, blocks, bytes of a block, pages to replay and how often to open; prints a
   * {@link Result} as JSON in the last line.
   */
  public static void main(String[] arguments) throws Exception {
    int replayedPages = Integer.parseInt(arguments[3]);
    int opens = Integer.parseInt(arguments[4]);
    IndexRun run =
        new IndexRun(
            Path.of(arguments[0]),
            Integer.parseInt(arguments[1]),
            Integer.parseInt(arguments[2]),
            replayedPages);
    System.out.println(new JsonMapper().writeValueAsString(run.run(replayedPages, opens)));
  }

  private Result run(int replayedPages, int opens) throws Exception {
    sparse.crash();
    Memory before = Memory.now();
    long began = System.nanoTime();
    Store store = sparse.open();
    double first = millisSince(began);
    double bytes = (double) (Memory.now().bytes() - before.bytes()) / sparse.blocks();
    Lookups.Figures lookups;
    long lost;
    int wrong;
    try (store;
        NamespaceStore namespace = store.open(chains.manifest())) {
      lost = lost(namespace);
      wrong = wrong(namespace);
      lookups = new Lookups(sparse, store, namespace).measure();
    }
    List<Double> millis = new ArrayList<>();
    for (int i = 0; i < opens; i++) {
      sparse.crash();
      System.gc();
      began = System.nanoTime();
      try (Store again = sparse.open()) {
        millis.add(millisSince(began));
        lost = Math.max(lost, sparse.blocks() - again.usage().blocks());
      }
    }
    sparse.delete();
    return new Result(
        sparse.blocks(),
        replayedPages,
        first,
        millis.isEmpty() ? first : Median.of(millis.subList(opens / 2, opens)).value(),
        opens,
        bytes,
        LookupProbe.indexBytesPerBlock(Math.min(sparse.blocks(), A_MILLION)),
        lookups,
        lost,
        wrong);
  }

  private static double millisSince(long began) {
    return (System.nanoTime() - began) / 1e6;
  }

  private int lost(NamespaceStore namespace) throws Exception {
    int found = 0;
    for (int c = 0; c < sparse.chainCount(); c++) {
      try (BlockLease lease = namespace.lookup(sparse.chain(c), Deadline.never())) {
        found += lease.prefix();
      }
    }
    return sparse.blocks() - found;
  }

  /** Of the blocks that the disk has: those that the open had to verify. */
  private int wrong(NamespaceStore namespace) throws Exception {
    int count = SparseStore.unflushed();
    BlockKeys tail =
        sparse.chain(sparse.chainCount() - 1).slice(SparseStore.CHAIN - count, SparseStore.CHAIN);
    int wrong = 0;
    int payload = (int) chains.manifest().payloadBytes(0);
    try (FramePool pool = new FramePool(1, payload + 4096L, false)) {
      for (int i = 0; i < count; i++) {
        Blocks block = new Blocks(tail.slice(i, i + 1), pool.frames(0, 1, payload));
        try (BlockLease lease = namespace.lookup(block.keys(), Deadline.never())) {
          namespace.load(lease, block, Deadline.never());
        }
        wrong += block.status(0) == BlockStatus.OK ? 0 : 1;
      }
    }
    return wrong;
  }
}
