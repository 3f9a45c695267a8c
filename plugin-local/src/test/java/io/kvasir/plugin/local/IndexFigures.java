package io.kvasir.plugin.local;

import io.kvasir.api.identity.BlockKeys;
import java.util.Locale;
import java.util.Random;

/**
 * What memory and time the tables cost at a number of keys: one line of JSON. Arguments: keys
 * (10000000) and rounds (5), of which the median counts.
 */
final class IndexFigures {
  private static final int CHAIN = 2000;
  private static final int PROBES = 1 << 20;

  /** What a growth of 64 MiB adds at 2 MiB a block. */
  private static final int STEP = 32;

  private static long sink;

  private IndexFigures() {}

  public static void main(String[] args) {
    int keys = args.length > 0 ? Integer.parseInt(args[0]) : 10_000_000;
    int rounds = args.length > 1 ? Integer.parseInt(args[1]) : 5;
    long before = used();
    long start = System.nanoTime();
    SlabState state = filled(keys);
    double fill = (System.nanoTime() - start) / 1e9;
    double whole = (double) (used() - before) / keys;
    double[] hit = new double[rounds];
    double[] miss = new double[rounds];
    double[] prefix = new double[rounds];
    double[] scattered = new double[rounds];
    double[] print = new double[rounds];
    for (int round = -3; round < rounds; round++) {
      int at = Math.max(0, round);
      Random random = new Random(round);
      hit[at] = probe(state.table, random, keys, 1);
      miss[at] = probe(state.table, random, keys, 3);
      prefix[at] = prefix(state, random, keys, true);
      scattered[at] = prefix(state, random, keys, false);
      print[at] = fingerprints();
    }
    System.out.printf(
        Locale.ROOT,
        "{\"keys\": %d, \"bytes_per_block\": %.1f, \"index_bytes_per_block\": %.1f,"
            + " \"lookup_hit_ns\": %.1f, \"lookup_miss_ns\": %.1f, \"prefix2000_us\": %.1f,"
            + " \"scattered2000_us\": %.1f, \"fingerprint_ns\": %.1f, \"fill_s\": %.1f, \"sink\":"
            + " %d}%n",
        keys,
        whole,
        16 + (double) state.table.indexBytes() / keys,
        median(hit),
        median(miss),
        median(prefix),
        median(scattered),
        median(print),
        fill,
        sink & 1);
  }

  /**
   * Grown in steps, as a slab file does, and filled in between; then all of it in one namespace.
   */
  private static SlabState filled(int keys) {
    SlotTable table = new SlotTable();
    while (table.slots() < keys) {
      int from = table.slots();
      table.grow(Math.min(keys, from + STEP));
      table.freeAllTaken(from);
      while (table.freeCount() > 0) {
        int slot = table.take();
        table.publish(
            slot,
            new SlotTable.Entry(
                new Bits128(first(slot), second(slot)), slot, slot, 1 << 21, slot >> 11, slot, 0));
      }
    }
    return new SlabState(
        new Recovery.Result(
            table,
            new NamespaceNumbers(),
            new Ring(16, Rules.KEPT),
            java.util.List.of(),
            0,
            0,
            0,
            keys >> 11,
            java.util.List.of()),
        Fixture.slab(),
        Fixture.SPACE,
        Rules.KEPT);
  }

  /** Spread as digests are. */
  private static long first(int key) {
    return mix(2L * key + 1);
  }

  private static long second(int key) {
    return mix(2L * key + 2);
  }

  private static long mix(long value) {
    long z = value * 0x9e3779b97f4a7c15L;
    z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return z ^ (z >>> 31);
  }

  private static long[] prints(Random random, int count, int keys, int factor) {
    long[] prints = new long[2 * count];
    for (int i = 0; i < count; i++) {
      int key = random.nextInt(keys) + (factor == 1 ? 0 : keys);
      prints[2 * i] = first(key);
      prints[2 * i + 1] = second(key);
    }
    return prints;
  }

  private static long[] chain(Random random, int keys) {
    int from = random.nextInt(keys - CHAIN);
    long[] prints = new long[2 * CHAIN];
    for (int i = 0; i < CHAIN; i++) {
      prints[2 * i] = first(from + i);
      prints[2 * i + 1] = second(from + i);
    }
    return prints;
  }

  /** Nanoseconds of a lookup of one key after the other, at random. */
  private static double probe(SlotTable table, Random random, int keys, int factor) {
    double[] times = new double[PROBES / CHAIN];
    for (int t = 0; t < times.length; t++) {
      long[] prints = prints(random, CHAIN, keys, factor);
      long sum = 0;
      long start = System.nanoTime();
      for (int i = 0; i < CHAIN; i++) {
        sum += table.find(new Bits128(prints[2 * i], prints[2 * i + 1]));
      }
      times[t] = (double) (System.nanoTime() - start) / CHAIN;
      sink += sum;
    }
    return median(times);
  }

  /**
   * Microseconds of one lookup of a chain with its lease.
   *
   * @param together whether its blocks lie in the order in which they were saved, as a prompt's do;
   *     else each lies anywhere, as after long eviction
   */
  private static double prefix(SlabState state, Random random, int keys, boolean together) {
    int chains = 200;
    long[][] prints = new long[chains][];
    for (int i = 0; i < chains; i++) {
      prints[i] = together ? chain(random, keys) : prints(random, CHAIN, keys, 1);
    }
    double[] times = new double[chains];
    for (int i = 0; i < chains; i++) {
      long start = System.nanoTime();
      SlotLease lease = state.lease(prints[i], Long.MAX_VALUE);
      times[i] = (System.nanoTime() - start) / 1e3;
      state.release(lease);
      if (lease.count != CHAIN) {
        throw new AssertionError("found " + lease.count);
      }
    }
    return median(times);
  }

  private static double fingerprints() {
    BlockKeys keys = Fixture.keys(Fixture.manifest("acme", 1), 1, CHAIN);
    long start = System.nanoTime();
    for (int i = 0; i < 50; i++) {
      sink += Fingerprinter.of(keys)[2 * i];
    }
    return (System.nanoTime() - start) / 50.0 / CHAIN;
  }

  private static double median(double[] values) {
    double[] sorted = values.clone();
    java.util.Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }

  private static long used() {
    long least = Long.MAX_VALUE;
    for (int i = 0; i < 4; i++) {
      System.gc();
      Runtime runtime = Runtime.getRuntime();
      least = Math.min(least, runtime.totalMemory() - runtime.freeMemory());
    }
    return least;
  }
}
