package io.kvasir.core.format;

import io.kvasir.api.EngineSpec;
import io.kvasir.api.format.FormatException;
import io.kvasir.api.format.Shards;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;

/** The settings of an engine, of which a resolver knows each. */
final class Settings {
  private static final int MOST_RANKS = 1 << 12;

  private final Fields fields;

  private Settings(Map<String, Object> settings) {
    this.fields = new Fields("settings.", settings);
  }

  /**
   * {@return the settings of a specification}
   *
   * @throws FormatException if the resolver does not know one: ignored, it could decide what the
   *     bytes mean
   */
  static Settings of(EngineSpec spec, String resolver, Set<String> known) {
    for (String name : spec.settings().keySet()) {
      if (!known.contains(name)) {
        throw new FormatException(
            "settings.%s: unknown to the resolver \"%s\", which knows %s"
                .formatted(name, resolver, String.join(", ", new TreeSet<>(known))));
      }
    }
    return new Settings(spec.settings());
  }

  Fields fields() {
    return fields;
  }

  /** {@return whether the engine decided: {@code auto} and null leave it to the model's files} */
  boolean decides(String name) {
    return fields.get(name) != null && !"auto".equals(fields.get(name));
  }

  String text(String name, String byDefault) {
    return fields.isNull(name) ? byDefault : fields.text(name);
  }

  int count(String name, int byDefault) {
    return fields.isNull(name) ? byDefault : fields.integer(name, 1, MOST_RANKS);
  }

  boolean flag(String name) {
    return !fields.isNull(name) && fields.flag(name);
  }

  /**
   * {@return the length of whose RoPE table the engine makes use for all requests}; the text {@code
   * max_position_embeddings} is the model's own
   */
  OptionalInt pinnedRope(Fields config) {
    if (!decides("rope_pinned_length")) {
      return OptionalInt.empty();
    }
    String name = "max_position_embeddings";
    return OptionalInt.of(
        name.equals(fields.get("rope_pinned_length"))
            ? config.integer(name, 1, Integer.MAX_VALUE)
            : fields.integer("rope_pinned_length", 1, Integer.MAX_VALUE));
  }

  /** {@return {@code engine}, or {@code engine/runner} where the engine has several} */
  String engine(String engine) {
    return decides("runner") ? engine + "/" + fields.text("runner") : engine;
  }

  /**
   * {@return how blocks are cut over ranks}
   *
   * <p>By rank, unless the engine says that its layout makes shards of KV heads independent of the
   * number of ranks.
   */
  Shards shards() {
    int tp = count("tensor_parallel", 1);
    int pp = count("pipeline_parallel", 1);
    if (decides("kv_head_shards")) {
      int count = count("kv_head_shards", 1);
      if (pp != 1 || count % tp != 0) {
        throw fields.error(
            "kv_head_shards",
            "%d shards of KV heads on %d × %d ranks; give a multiple of tensor_parallel, without pipeline_parallel"
                .formatted(count, tp, pp));
      }
      return new Shards.KvHead(count);
    }
    return tp == 1 && pp == 1 ? Shards.ONE : new Shards.Rank(tp, pp);
  }
}
