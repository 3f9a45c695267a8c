package io.kvasir.core.format;

import io.kvasir.api.EngineSpec;
import io.kvasir.api.format.FormatException;
import io.kvasir.api.format.Shards;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;

/** The settings of an engine, of which a resolver knows each. */
final class Settings extends Fields {
  private static final int MOST_RANKS = 1 << 12;

  /**
   * Creates the settings of a specification.
   *
   * @throws FormatException if the resolver does not know one: ignored, it could decide what the
   *     bytes mean
   */
  Settings(EngineSpec spec, String resolver, Set<String> known) {
    super("settings.", spec.settings());
    for (String name : spec.settings().keySet()) {
      if (!known.contains(name)) {
        throw error(
            name,
            "unknown to the resolver \"%s\", which knows %s",
            resolver,
            String.join(", ", new TreeSet<>(known)));
      }
    }
  }

  /** {@return whether the engine decided: {@code auto} and null leave it to the model's files} */
  boolean decides(String name) {
    return !isNull(name) && !"auto".equals(get(name));
  }

  String text(String name, String byDefault) {
    return isNull(name) ? byDefault : text(name);
  }

  int count(String name) {
    return isNull(name) ? 1 : integer(name, 1, MOST_RANKS);
  }

  boolean on(String name) {
    return !isNull(name) && flag(name);
  }

  /**
   * {@return the length of whose RoPE table the engine makes use for all requests}; the text {@code
   * max_position_embeddings} is the model's own
   */
  OptionalInt pinnedRope(Fields config) {
    if (!decides("rope_pinned_length")) {
      return OptionalInt.empty();
    }
    String own = "max_position_embeddings";
    boolean model = own.equals(get("rope_pinned_length"));
    return OptionalInt.of(
        (model ? config : this).integer(model ? own : "rope_pinned_length", 1, Integer.MAX_VALUE));
  }

  /**
   * {@return how blocks are cut over ranks}
   *
   * <p>By rank, unless the engine says that its layout makes shards of KV heads independent of the
   * number of ranks.
   */
  Shards shards() {
    int tp = count("tensor_parallel");
    int pp = count("pipeline_parallel");
    if (!decides("kv_head_shards")) {
      return tp == 1 && pp == 1 ? Shards.ONE : new Shards.Rank(tp, pp);
    }
    int count = count("kv_head_shards");
    if (pp != 1 || count % tp != 0) {
      throw error(
          "kv_head_shards",
          "%d shards of KV heads on %d × %d ranks; give a multiple of tensor_parallel, without"
              + " pipeline_parallel",
          count,
          tp,
          pp);
    }
    return new Shards.KvHead(count);
  }
}
