package io.kvasir.core.format;

import io.kvasir.api.EngineSpec;
import io.kvasir.api.format.Dtype;
import io.kvasir.api.format.FormatException;
import io.kvasir.api.format.Shards;
import java.util.List;

/** The settings of an engine, of which a resolver knows each. */
final class Settings extends Fields {
  private static final int MOST_RANKS = 1 << 12;

  /**
   * Creates the settings of a specification.
   *
   * @throws FormatException if the resolver does not know one: ignored, it could decide what the
   *     bytes mean
   */
  Settings(EngineSpec spec, String resolver) {
    super("settings.", spec.settings());
    List<String> known = Tables.strings(Tables.of(Tables.COMMON, "settings").get(resolver));
    for (String name : spec.settings().keySet()) {
      if (!known.contains(name)) {
        throw error(
            name,
            "unknown to the resolver \"%s\", which knows %s",
            resolver,
            String.join(", ", known));
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

  /** {@return the type under a name; another one where the engine did not decide} */
  Dtype dtype(String name, Dtype otherwise) {
    return decides(name) ? Checkpoint.dtype(at(name), text(name)) : otherwise;
  }

  /**
   * {@return the length of whose RoPE table the engine makes use for all requests}; the text {@code
   * max_position_embeddings} is the model's own
   *
   * @param config the model's configuration
   * @param rope the parameters of a RoPE that has a table for each length
   */
  long pinnedRope(Fields config, Fields rope) {
    String name = "rope_pinned_length";
    String own = "max_position_embeddings";
    if (!decides(name)) {
      throw rope.asks(
          name,
          "rope_type",
          "%s rotates K by the length of the whole request, so no block can be shared; give the"
              + " setting rope_pinned_length if the engine uses the one table of that length for"
              + " all requests",
          show(rope.get("rope_type")));
    }
    return own.equals(get(name))
        ? config.integer(own, 1, Integer.MAX_VALUE)
        : integer(name, 1, Integer.MAX_VALUE);
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
