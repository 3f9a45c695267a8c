package io.kvasir.core.format;

import io.kvasir.api.format.Dtype;
import io.kvasir.api.format.FormatException;
import io.kvasir.api.format.Quantization;
import java.util.Map;

/**
 * How an engine stores K and V under one of its names, as {@code cache-types.json} has it.
 *
 * @param entry the entry of the table
 * @param model type that the model computes with
 */
record CacheType(Map<String, Object> entry, Dtype model) {
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
    if (Tables.object(entry).get("refused") instanceof String why) {
      throw new FormatException(
          "%s: \"%s\" %s; declare the format with the resolver \"explicit\""
              .formatted(setting, name, why));
    }
    return new CacheType(Tables.object(entry), model);
  }

  /** {@return the type that stores K and V as the model computes them} */
  static CacheType plain(Dtype model) {
    return new CacheType(
        Map.of("k", Map.of("dtype", "model"), "v", Map.of("dtype", "model")), model);
  }

  Dtype dtype(String side) {
    return dtypeOf(side(side).get("dtype"));
  }

  /** {@return whether the engine holds scales that the bytes mean nothing without} */
  boolean scalesInEngine() {
    return "engine".equals(side("k").get("scales"));
  }

  /** {@return whether it is the entry of latent attention alone} */
  boolean latentOnly() {
    return Boolean.TRUE.equals(entry.get("latent"));
  }

  /** {@return whether K and V are stored as numbers of a type, without scales} */
  boolean isPlain() {
    return side("k").get("scheme") == null;
  }

  /** {@return whether scales lie in the block} */
  boolean scalesInBlock() {
    return "block".equals(side("k").get("scales"));
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
    Map<String, Object> side = side(name);
    return new Quantization.Scheme(
        (String) side.get("scheme"),
        dtype(name).bits(),
        (String) side.get("axis"),
        side.get("group_size") instanceof Number n ? n.intValue() : null,
        side.get("zero_point") == null,
        scalesInBlock() ? dtypeOf(side.get("scale_dtype")) : Dtype.F32,
        (String) side.get("packing"),
        scalesInBlock()
            ? Quantization.Scales.IN_BLOCK
            : Quantization.Scales.inEngine(scales.digest(name, layers)));
  }

  private Map<String, Object> side(String name) {
    return Tables.object(entry.get(name));
  }

  private Dtype dtypeOf(Object name) {
    return name.equals("model") ? model : Dtype.named((String) name).orElseThrow();
  }
}
