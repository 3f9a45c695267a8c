package io.kvasir.benchmarks.hostpath;

import io.kvasir.api.ByteSize;
import io.kvasir.api.Deadline;
import io.kvasir.api.Fence;
import io.kvasir.api.KvConnector;
import io.kvasir.api.KvRequest;
import io.kvasir.api.PagedBlocks;
import io.kvasir.api.Region;
import io.kvasir.api.SaveResult;
import io.kvasir.api.identity.RequestScope;
import io.kvasir.api.store.Store;
import io.kvasir.benchmarks.common.Chains;
import io.kvasir.benchmarks.common.Scratch;
import io.kvasir.benchmarks.common.Stores;
import io.kvasir.conformance.speed.Median;
import io.kvasir.core.connector.Connector;
import io.kvasir.core.connector.ConnectorSettings;
import io.kvasir.core.identity.StrictPolicy;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Saves of 32 blocks of 2 MiB through the connector: from 64 rows each, scattered as in a paged
 * cache, beside the same from one piece each. Rounds in turn, and of their ratios the median: the
 * goal is 0.90.
 */
public final class HostPath {
  private static final int BLOCKS = 32;
  private static final int PIECES = 64;
  private static final int BLOCK_BYTES = 2 << 20;
  private static final int ROUNDS = 41;
  private static final int WARM_UP = 6;

  private final Chains chains = new Chains(BLOCK_BYTES);
  private final SplittableRandom random = new SplittableRandom(1);
  private final Region region;
  private int prompts;

  private HostPath(Arena arena) {
    MemorySegment memory = arena.allocate(2L * BLOCKS * BLOCK_BYTES, 1 << 21);
    for (long at = 0; at < memory.byteSize(); at += Long.BYTES) {
      memory.set(java.lang.foreign.ValueLayout.JAVA_LONG, at, random.nextLong());
    }
    this.region = Region.host(memory);
  }

  /** Measures the stores {@code local} and {@code memory}. */
  public static void main(String[] arguments) throws Exception {
    Path folder = Scratch.in(Path.of(System.getProperty("kvasir.benchmarks.directory")), "host");
    System.out.println("store    contiguous GB/s  scattered GB/s  ratio (quartiles)");
    try (Arena arena = Arena.ofShared()) {
      HostPath run = new HostPath(arena);
      run.measure(
          "local", Map.of("directory", folder.resolve("local").toString(), "capacity", "4GiB"));
      run.measure("memory", Map.of("capacity", "1GiB"));
    }
  }

  private void measure(String name, Map<String, String> settings) throws Exception {
    try (Store store = Stores.open(name, settings);
        KvConnector connector =
            Connector.open(settings(), store, chains.manifest(), new StrictPolicy(), true)) {
      List<Double> whole = new ArrayList<>();
      List<Double> scattered = new ArrayList<>();
      List<Double> ratios = new ArrayList<>();
      for (int round = 0; round < WARM_UP + ROUNDS; round++) {
        double before = save(connector, contiguous());
        double now = save(connector, scattered());
        double after = save(connector, contiguous());
        if (round >= WARM_UP) {
          whole.add(before);
          scattered.add(now);
          ratios.add(now / Math.sqrt(before * after));
        }
      }
      Median ratio = Median.of(ratios);
      System.out.printf(
          "%-8s %15.2f %15.2f  %.3f (%.3f to %.3f)%n",
          name,
          Median.of(whole).value(),
          Median.of(scattered).value(),
          ratio.value(),
          ratio.low(),
          ratio.high());
    }
  }

  private static ConnectorSettings settings() {
    return new ConnectorSettings(
        Duration.ofSeconds(30),
        Duration.ofSeconds(30),
        Duration.ofSeconds(60),
        Duration.ofSeconds(30),
        Duration.ofSeconds(30),
        Duration.ofSeconds(30),
        4,
        4,
        8,
        BLOCKS,
        new ByteSize(512L << 20),
        new ByteSize(1L << 30),
        5,
        Duration.ofSeconds(5),
        Duration.ofSeconds(10),
        Duration.ofMinutes(10));
  }

  /** {@return blocks of one piece each, in an order of chance} */
  private PagedBlocks contiguous() {
    return new PagedBlocks(0, List.of(PagedBlocks.Plane.of(region, 0, BLOCK_BYTES)), rows());
  }

  /** {@return the same memory as planes of rows, a block a row of each} */
  private PagedBlocks scattered() {
    List<PagedBlocks.Plane> planes = new ArrayList<>();
    long row = BLOCK_BYTES / PIECES;
    for (int p = 0; p < PIECES; p++) {
      planes.add(PagedBlocks.Plane.of(region, p * 2L * BLOCKS * row, row));
    }
    return new PagedBlocks(0, planes, rows());
  }

  private int[] rows() {
    List<Integer> all = new ArrayList<>();
    for (int r = 0; r < 2 * BLOCKS; r++) {
      all.add(random.nextInt(all.size() + 1), r);
    }
    return all.stream().limit(BLOCKS).mapToInt(r -> r).toArray();
  }

  /** {@return GB/s of a save of a prompt that was never there} */
  private double save(KvConnector connector, PagedBlocks memory) throws IOException {
    int[] prompt = chains.tokens(++prompts, BLOCKS);
    try (KvRequest request = connector.request(RequestScope.NONE, prompt)) {
      long begun = System.nanoTime();
      SaveResult result =
          request.save(memory, Fence.none()).await(Deadline.after(Duration.ofSeconds(30)));
      long nanos = System.nanoTime() - begun;
      if (!result.complete()) {
        throw new IOException("not all was saved: " + result);
      }
      return (double) BLOCKS * BLOCK_BYTES / nanos;
    }
  }
}
