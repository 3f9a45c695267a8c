package io.kvasir.core.format;

import io.kvasir.api.format.Dtype;
import io.kvasir.api.format.FormatException;
import io.kvasir.api.format.Quantization;
import java.util.Map;

/**
 * How an engine stores K and V under one of its names, as {@code cache-types.json} has it.
 *
 * @param rules the entry of the table
 * @param model type that the model computes with
 */
record CacheType(Map<String, Object> rules, Dtype model) implements Rules {
  /**
   * {@return the type under an engine's name}
   *
   * @param engine an engine of the table
   * @param name the engine's name of the type
   * @param setting where the name stands, for the error
   */
  static CacheType named(String engine, String name, String setting, Dtype model) {
    Map<String, Object> types = Tables.of(Tables.CACHE_TYPES, engine);
    Object entry = types.get(name) instanceof String same ? types.get(same) : types.get(name);
    if (entry == null) {
      throw new FormatException(
          "%s: \"%s\" is none of %s".formatted(setting, name, String.join(", ", types.keySet())));
    }
    CacheType type = new CacheType(Tables.object(entry), model);
    if (type.flag("refused")) {
      throw new FormatException(
          "%s: \"%s\" %s; declare the format with the resolver \"explicit\""
              .formatted(setting, name, type.rule("refused")));
    }
    return type;
  }

  /** {@return the type that stores K and V as the model computes them} */
  static CacheType plain(Dtype model) {
    Map<String, Object> side = Map.of("dtype", "model");
    return new CacheType(Map.of("k", side, "v", side), model);
  }

  /** {@return the type of a state: that of its convolution and that of its recurrence} */
  static CacheType state(Dtype conv, Dtype ssm) {
    return new CacheType(
        Map.of("k", Map.of("dtype", conv.wireName()), "v", Map.of("dtype", ssm.wireName())), conv);
  }

  Dtype dtype(String side) {
    return dtype(side(side), "dtype");
  }

  /** {@return where scales are that the bytes mean nothing without: {@code engine}, or null} */
  boolean scalesIn(String place) {
    return place.equals(side("k").rule("scales"));
  }

  /** {@return whether it is the entry of latent attention alone} */
  boolean latentOnly() {
    return flag("latent");
  }

  /** {@return whether K and V are stored as numbers of a type, without scales} */
  boolean isPlain() {
    return !side("k").flag("scheme");
  }

  /**
   * {@return the quantisation; null if there is none}
   *
   * @param layers layers of the group
   * @param scales the scales that the engine holds
   */
  Quantization quantization(int layers, KvScales scales) {
    return isPlain()
        ? null
        : new Quantization(scheme("k", layers, scales), scheme("v", layers, scales));
  }

  private Quantization.Scheme scheme(String name, int layers, KvScales scales) {
    Rules side = side(name);
    boolean inBlock = scalesIn("block");
    return new Quantization.Scheme(
        side.rule("scheme"),
        dtype(name).bits(),
        side.rule("axis"),
        side.rules().get("group_size") instanceof Number n ? n.intValue() : null,
        !side.flag("zero_point"),
        inBlock ? dtype(side, "scale_dtype") : Dtype.F32,
        side.rule("packing"),
        inBlock
            ? Quantization.Scales.IN_BLOCK
            : Quantization.Scales.inEngine(scales.digest(name, layers)));
  }

  private Rules side(String name) {
    return Rules.of(rules.get(name));
  }

  private Dtype dtype(Rules side, String name) {
    String dtype = side.rule(name);
    return dtype.equals("model") ? model : Dtype.named(dtype).orElseThrow();
  }
}
