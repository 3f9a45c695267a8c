package io.kvasir.benchmarks.compare;

import io.kvasir.api.Deadline;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.store.BlockLease;
import io.kvasir.api.store.NamespaceStore;
import io.kvasir.api.store.Store;
import io.kvasir.benchmarks.common.SparseStore;
import io.kvasir.conformance.speed.Median;
import io.kvasir.plugin.local.LookupProbe;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** What it takes to find chains of 2,000 blocks in a store that holds very many. */
final class Lookups {
  private static final int PROBES = 128;
  private static final int POOL = 1000;
  private static final int ROUNDS = 7;

  /**
   * Microseconds for 2,000 keys, medians of rounds, each over chains that follow no order.
   *
   * @param whole a chain by the store's SPI: fingerprints, search and lease
   * @param absent a chain that is not there, likewise
   * @param fingerprints of a chain alone
   * @param together search and lease of a chain that lies in the store as it was saved
   * @param anywhere search and lease of as many keys that lie all over the store
   */
  record Figures(
      double whole, double absent, double fingerprints, double together, double anywhere) {}

  private interface Use<T> {
    void on(T keys) throws Exception;
  }

  private final SparseStore sparse;
  private final NamespaceStore namespace;
  private final LookupProbe probe;
  private final Random random = new Random(5);

  Lookups(SparseStore sparse, Store store, NamespaceStore namespace) {
    this.sparse = sparse;
    this.namespace = namespace;
    this.probe = new LookupProbe(store, sparse.chain(0).payloadBytes());
  }

  Figures measure() throws Exception {
    int chains = Math.min(PROBES, sparse.chainCount());
    List<BlockKeys> present =
        Stream.generate(() -> sparse.chain(random.nextInt(sparse.chainCount())))
            .limit(chains)
            .toList();
    List<BlockKeys> absent =
        IntStream.range(0, chains).mapToObj(i -> sparse.chain(sparse.chainCount() + i)).toList();
    List<long[]> together = present.stream().map(LookupProbe::fingerprints).toList();
    List<long[]> anywhere = anywhere(chains);
    List<List<Double>> micros = new ArrayList<>();
    for (int kind = 0; kind < 5; kind++) {
      micros.add(new ArrayList<>());
    }
    for (int r = -3; r < ROUNDS; r++) {
      double[] round = {
        each(present, keys -> find(keys, SparseStore.CHAIN)),
        each(absent, keys -> find(keys, 0)),
        each(present, Lookups::fingerprints),
        each(together, this::search),
        each(anywhere, this::search)
      };
      for (int kind = 0; r >= 0 && kind < round.length; kind++) {
        micros.get(kind).add(round[kind]);
      }
    }
    List<Double> medians = micros.stream().map(list -> Median.of(list).value()).toList();
    return new Figures(
        medians.get(0), medians.get(1), medians.get(2), medians.get(3), medians.get(4));
  }

  /** Keys of many chains, shuffled: what a prompt looks like after long eviction. */
  private List<long[]> anywhere(int count) {
    int chains = Math.min(POOL, sparse.chainCount());
    List<long[]> pool =
        IntStream.range(0, chains)
            .mapToObj(i -> sparse.chain((int) ((long) i * sparse.chainCount() / chains)))
            .map(LookupProbe::fingerprints)
            .toList();
    List<long[]> prints = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      long[] some = new long[2 * SparseStore.CHAIN];
      for (int at = 0; at < some.length; at += 2) {
        long[] from = pool.get(random.nextInt(chains));
        int block = random.nextInt(SparseStore.CHAIN);
        some[at] = from[2 * block];
        some[at + 1] = from[2 * block + 1];
      }
      prints.add(some);
    }
    return prints;
  }

  private static <T> double each(List<T> chains, Use<T> use) throws Exception {
    long began = System.nanoTime();
    for (T keys : chains) {
      use.on(keys);
    }
    return (System.nanoTime() - began) / 1e3 / chains.size();
  }

  private void find(BlockKeys keys, int expected) throws Exception {
    try (BlockLease lease = namespace.lookup(keys, Deadline.never())) {
      if (lease.prefix() != expected) {
        throw new IOException("found %d of %s".formatted(lease.prefix(), keys));
      }
    }
  }

  private static void fingerprints(BlockKeys keys) throws IOException {
    if (LookupProbe.fingerprints(keys).length != 2 * keys.count()) {
      throw new IOException("fingerprints of " + keys);
    }
  }

  private void search(long[] fingerprints) throws IOException {
    int found = probe.find(fingerprints);
    if (found != SparseStore.CHAIN) {
      throw new IOException("found " + found);
    }
  }
}
