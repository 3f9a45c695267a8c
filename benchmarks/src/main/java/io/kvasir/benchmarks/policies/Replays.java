package io.kvasir.benchmarks.policies;

import io.kvasir.api.store.StoreException;
import io.kvasir.benchmarks.common.Table;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import tools.jackson.databind.json.JsonMapper;

/**
 * A trace under every policy.
 *
 * @param requests of the trace
 * @param accesses blocks of all requests
 * @param workingSet different blocks
 * @param shares of the working set that the caches hold
 * @param rows a policy each, the product first
 * @param holds G9 at each of the shares: the product finds, to a hundredth of a point, what LRU
 *     that takes the tail of a chain first finds with as many blocks
 */
record Replays(
    int requests,
    long accesses,
    int workingSet,
    List<Double> shares,
    List<Row> rows,
    List<Boolean> holds) {
  private static final double PRECISION = 0.01;
  private static final String PRODUCT = "plugin-local";
  private static final String TAIL_FIRST = "LRU, tail first";
  private static final Map<String, IntFunction<Policy>> SIMULATED = simulated();

  /**
   * A policy on the trace.
   *
   * @param percent found, at each of the shares
   * @param blocks it holds, at each of the shares; the product those that it held on average
   */
  record Row(String policy, List<Double> percent, List<Integer> blocks) {}

  private static Map<String, IntFunction<Policy>> simulated() {
    Map<String, IntFunction<Policy>> policies = new LinkedHashMap<>();
    policies.put("LRU", Lru::new);
    policies.put(TAIL_FIRST, Replays::tailFirst);
    policies.put("S3-FIFO", size -> new S3Fifo(size, 0.1, 2));
    policies.put("S3-FIFO tuned to this trace", size -> new S3Fifo(size, 0.5, 1));
    policies.put("ARC", Arc::new);
    policies.put("SIEVE", Sieve::new);
    policies.put("W-TinyLFU", WTinyLfu::new);
    policies.put("Caffeine", CaffeinePolicy::new);
    return policies;
  }

  private static Policy tailFirst(int size) {
    return Policy.tailFirst(new Lru(size));
  }

  /**
   * Replays a trace.
   *
   * @param work an empty folder for the product's stores
   */
  static Replays of(Trace trace, List<Double> shares, Path work)
      throws IOException, StoreException {
    int distinct = trace.distinct();
    List<Integer> sizes = shares.stream().map(share -> (int) (share * distinct)).toList();
    List<Row> rows = new ArrayList<>();
    Row product = product(trace, sizes, work);
    Row same =
        simulate(trace, "  " + TAIL_FIRST + ", as large", Replays::tailFirst, product.blocks());
    rows.add(product);
    rows.add(same);
    SIMULATED.forEach((name, policy) -> rows.add(simulate(trace, name, policy, sizes)));
    rows.add(simulate(trace, "ideal", size -> new Ideal(size, trace), sizes));
    List<Boolean> holds = new ArrayList<>();
    for (int i = 0; i < shares.size(); i++) {
      holds.add(product.percent().get(i) + PRECISION / 2 >= same.percent().get(i));
    }
    return new Replays(trace.requests().size(), trace.accesses(), distinct, shares, rows, holds);
  }

  private static Row product(Trace trace, List<Integer> sizes, Path work)
      throws IOException, StoreException {
    List<Double> percent = new ArrayList<>();
    List<Integer> blocks = new ArrayList<>();
    for (int size : sizes) {
      ProductReplay.Result result =
          new ProductReplay(trace).run(work.resolve("store-" + size), size);
      percent.add(result.rate().percent());
      blocks.add(result.blocks());
    }
    return new Row(PRODUCT, percent, blocks);
  }

  private static Row simulate(
      Trace trace, String name, IntFunction<Policy> policy, List<Integer> sizes) {
    List<Double> percent =
        sizes.stream().map(size -> HitRate.of(trace, policy.apply(size)).percent()).toList();
    return new Row(name, percent, sizes);
  }

  String text() {
    Table table = new Table();
    List<String> head = new ArrayList<>(List.of("blocks of prompts found, %"));
    shares.forEach(share -> head.add("at %.0f %%".formatted(share * 100)));
    shares.forEach(share -> head.add("blocks"));
    table.row(head.toArray(String[]::new));
    for (Row row : rows) {
      List<String> cells = new ArrayList<>(List.of(row.policy));
      row.percent.forEach(percent -> cells.add("%.2f".formatted(percent)));
      row.blocks.forEach(blocks -> cells.add("" + blocks));
      table.row(cells.toArray(String[]::new));
    }
    StringBuilder out = new StringBuilder();
    out.append(
        "%d requests, %d blocks, of these %d different: the working set%n%n"
            .formatted(requests, accesses, workingSet));
    out.append(table).append('\n');
    for (int i = 0; i < shares.size(); i++) {
      out.append(
          "G9  plugin-local at %.0f %%, by \"%s\" with as many blocks: %s%n"
              .formatted(shares.get(i) * 100, TAIL_FIRST, holds.get(i) ? "holds" : "MISSED"));
    }
    return out.toString();
  }

  String json() {
    return new JsonMapper().writeValueAsString(this);
  }
}
