package io.kvasir.api.format;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Layers whose KV is kept, found and evicted together. The fields are those of the manifest; what
 * does not apply is null, never left out.
 *
 * @param id number within the format, from 0
 * @param kind what is kept
 * @param hit which blocks a usable prefix needs
 * @param blockTokens tokens of a block
 * @param window tokens, where the kind is {@code sliding} or {@code chunked}
 * @param ratio tokens per entry, where the kind is {@code compressed}, or {@code index} over such
 *     entries
 * @param stateBytes bytes of a checkpoint over all layers and shards, where the kind is {@code
 *     state}
 * @param layers sorted indices of the model's layers
 * @param kvHeads KV heads over all shards
 * @param kDim elements of one K head
 * @param vDim elements of one V head
 * @param kDtype type of a K element
 * @param vDtype type of a V element
 * @param quant null where K and V are stored as computed
 */
public record KvGroup(
    int id,
    GroupKind kind,
    HitRule hit,
    int blockTokens,
    Integer window,
    Integer ratio,
    Long stateBytes,
    List<Integer> layers,
    Integer kvHeads,
    Integer kDim,
    Integer vDim,
    Dtype kDtype,
    Dtype vDtype,
    Quantization quant) {

  /** Copies the layers. */
  public KvGroup {
    layers = List.copyOf(layers);
  }

  /** {@return a group of full attention, not quantised} */
  public static KvGroup full(
      int id, int blockTokens, List<Integer> layers, int kvHeads, int headDim, Dtype dtype) {
    return new KvGroup(
        id,
        GroupKind.FULL,
        HitRule.ALL,
        blockTokens,
        null,
        null,
        null,
        layers,
        kvHeads,
        headDim,
        headDim,
        dtype,
        dtype,
        null);
  }

  /** {@return the object in a manifest} */
  public Map<String, Object> json() {
    Map<String, Object> out = new LinkedHashMap<>();
    out.put("id", id);
    out.put("kind", kind.wireName());
    out.put("hit", hit.json());
    out.put("block_tokens", blockTokens);
    out.put("window", window);
    out.put("ratio", ratio);
    out.put("state_bytes", stateBytes);
    out.put("layers", layers);
    out.put("kv_heads", kvHeads);
    out.put("k_dim", kDim);
    out.put("v_dim", vDim);
    out.put("k_dtype", kDtype == null ? null : kDtype.wireName());
    out.put("v_dtype", vDtype == null ? null : vDtype.wireName());
    out.put("quant", quant == null ? null : quant.json());
    return out;
  }

  /**
   * {@return the payload bytes of one block of one shard}
   *
   * @throws FormatException if the fields that its kind needs are missing or do not divide
   */
  public long payloadBytes(Shards shards) {
    try {
      return exactBytes(shards);
    } catch (ArithmeticException e) {
      throw new FormatException("groups[%d]: a block of more than 2^63 bytes".formatted(id), e);
    }
  }

  private long exactBytes(Shards shards) {
    if (kind == GroupKind.STATE) {
      long bytes = need("state_bytes", stateBytes);
      if (bytes % shards.count() != 0) {
        throw wrong("state_bytes", bytes, "divisible by the " + shards.count() + " shards");
      }
      return bytes / shards.count();
    }
    long tokens = kind == GroupKind.COMPRESSED || ratio != null ? ratioTokens() : blockTokens;
    long heads = headsOfShard(shards);
    long perLayer =
        Math.addExact(
            side("k", need("k_dim", kDim), need("k_dtype", kDtype), tokens, heads),
            side("v", need("v_dim", vDim), need("v_dtype", vDtype), tokens, heads));
    return Math.multiplyExact(perLayer, layersOfShard(shards));
  }

  private long ratioTokens() {
    int r = need("ratio", ratio);
    if (blockTokens % r != 0) {
      throw wrong("block_tokens", blockTokens, "a multiple of the ratio " + r);
    }
    return blockTokens / r;
  }

  private long headsOfShard(Shards shards) {
    int heads = need("kv_heads", kvHeads);
    if (kind == GroupKind.MLA || kind == GroupKind.INDEX || kind == GroupKind.COMPRESSED) {
      return heads; // one latent vector for all heads: replicated, not divided
    }
    int parts =
        switch (shards) {
          case Shards.KvHead s -> s.count();
          case Shards.Rank s -> s.tp();
        };
    if (heads < parts && parts % heads == 0) {
      return 1; // fewer heads than ranks: replicated
    }
    if (heads % parts != 0) {
      throw wrong("kv_heads", heads, "divisible by the " + parts + " shards");
    }
    return heads / parts;
  }

  private long layersOfShard(Shards shards) {
    int pp = shards instanceof Shards.Rank r ? r.pp() : 1;
    if (layers.size() % pp != 0) {
      throw wrong("layers", layers.size() + " layers", "divisible by pp " + pp);
    }
    return layers.size() / pp;
  }

  private long side(String name, int dim, Dtype dtype, long tokens, long heads) {
    Quantization.Scheme scheme = quant == null ? null : name.equals("k") ? quant.k() : quant.v();
    long elements = Math.multiplyExact(Math.multiplyExact(tokens, heads), (long) dim);
    long bits = Math.multiplyExact(elements, scheme == null ? dtype.bits() : scheme.bits());
    if (bits % 8 != 0) {
      throw wrong(name + "_dim", dim, "a whole number of bytes per block");
    }
    if (dim == 0) {
      return 0; // as V of latent attention: nothing is stored, and no scale of it
    }
    return Math.addExact(bits / 8, scheme == null ? 0 : scheme.scaleBytes(tokens, heads, dim));
  }

  private <T> T need(String name, T value) {
    if (value == null) {
      throw new FormatException(
          "groups[%d].%s: null, but the kind %s needs it".formatted(id, name, kind.wireName()));
    }
    return value;
  }

  private FormatException wrong(String name, Object value, String right) {
    return new FormatException("groups[%d].%s: %s is not %s".formatted(id, name, value, right));
  }
}
