package io.kvasir.api.format;

import java.util.Map;

/** How a block is cut over the ranks of an engine. */
public sealed interface Shards {
  /** One shard that holds everything. */
  Shards ONE = new KvHead(1);

  /** {@return the number of shards} */
  int count();

  /** {@return the object in a manifest} */
  Map<String, Object> json();

  /**
   * Shards of KV heads, where the layout makes them independent of the engine's tensor-parallel
   * size.
   *
   * @param count number of shards
   */
  record KvHead(int count) implements Shards {
    /** Checks the count. */
    public KvHead {
      require("count", count);
    }

    @Override
    public Map<String, Object> json() {
      return Map.of("scheme", "kv-head", "count", count);
    }
  }

  /**
   * One shard per rank: pp rank × tp + tp rank.
   *
   * @param tp tensor-parallel size
   * @param pp pipeline-parallel size
   */
  record Rank(int tp, int pp) implements Shards {
    /** Checks the sizes. */
    public Rank {
      require("tp", tp);
      require("pp", pp);
    }

    @Override
    public int count() {
      return tp * pp;
    }

    @Override
    public Map<String, Object> json() {
      return Map.of("scheme", "rank", "tp", tp, "pp", pp);
    }
  }

  private static void require(String name, int value) {
    if (value < 1 || value > 1 << 16) {
      throw new FormatException("shards." + name + ": " + value + " is not in 1 … 65536");
    }
  }
}
