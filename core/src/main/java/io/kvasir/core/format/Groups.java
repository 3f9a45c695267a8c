package io.kvasir.core.format;

import io.kvasir.api.format.Dtype;
import io.kvasir.api.format.FormatException;
import io.kvasir.api.format.GroupKind;
import io.kvasir.api.format.HitRule;
import io.kvasir.api.format.KvGroup;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Puts what the layers of a model keep into groups: one per kind, size and type, by their first
 * layer. A group of states is cut where one checkpoint of it would be more than a block can hold.
 */
record Groups(NormalConfig config, int blockTokens, Settings settings) {
  private static final long MOST_BYTES = 64L << 20;

  /**
   * How an engine stores what a model computes.
   *
   * @param kv K and V
   * @param plain K and V in the layers of {@code skipped}
   * @param index keys of an indexer
   * @param skipped layers that the engine leaves as the model computes them
   * @param conv state of a convolution
   * @param ssm recurrent state; null is the model's own, else that of {@code conv}
   */
  record Types(
      CacheType kv, CacheType plain, CacheType index, Set<Integer> skipped, Dtype conv, Dtype ssm) {
    static Types of(CacheType kv, Dtype dtype) {
      CacheType plain = CacheType.plain(dtype);
      return new Types(kv, plain, plain, Set.of(), dtype, null);
    }
  }

  private record Part(Slot slot, CacheType type, List<Integer> layers) {}

  List<KvGroup> of(Types types) {
    Map<List<Object>, Part> parts = new LinkedHashMap<>();
    for (int i = 0; i < config.layers().size(); i++) {
      for (Slot slot : config.layers().get(i)) {
        CacheType kv = types.skipped().contains(i) ? types.plain() : types.kv();
        CacheType own = slot.kind() == GroupKind.INDEX ? types.index() : kv;
        List<Object> key = key(slot, own);
        Part part = parts.get(key);
        if (part == null) {
          part = new Part(slot, own, new ArrayList<>());
          parts.put(key, part);
        }
        part.layers().add(i);
      }
    }
    List<KvGroup> groups = new ArrayList<>();
    for (Part part : parts.values()) {
      if (part.slot().kind() == GroupKind.STATE) {
        states(part.slot(), part.layers(), types, groups);
      } else {
        check(part.slot(), part.type());
        groups.add(group(groups.size(), part.slot(), part.type(), part.layers()));
      }
    }
    return groups;
  }

  /** A list and no record: to hash one, the JVM makes code first, which a short process feels. */
  private static List<Object> key(Slot s, CacheType type) {
    return Arrays.asList(
        s.kind(),
        s.window(),
        s.ratio(),
        s.kvHeads(),
        s.kDim(),
        s.vDim(),
        s.conv(),
        s.ssm(),
        s.ssmDtype(),
        type.rules());
  }

  private void check(Slot slot, CacheType type) {
    boolean latent = slot.kind() == GroupKind.MLA;
    String wrong =
        latent && type.scalesIn("block") && !type.latentOnly()
            ? "scales in the block are not stored for the latent attention of the class %s; choose"
                + " a plain or fp8 type"
            : !latent && type.latentOnly()
                ? "an entry of latent attention, which the class %s does not have; choose another"
                    + " type"
                : config.model().flag("plain") && !type.isPlain()
                    ? "what engines store for the class %s beside plain types is not described;"
                        + " choose a plain type, or declare the format with the resolver"
                        + " \"explicit\""
                    : null;
    if (wrong != null) {
      throw new FormatException("kv_cache_dtype: " + wrong.formatted(config.model().type()));
    }
  }

  private KvGroup group(int id, Slot slot, CacheType type, List<Integer> layers) {
    return new KvGroup(
        id,
        slot.kind(),
        slot.window() == null ? HitRule.ALL : HitRule.trailing(slot.window()),
        blockTokens,
        slot.window(),
        slot.ratio(),
        null,
        layers,
        slot.kvHeads(),
        slot.kDim(),
        slot.vDim(),
        type.dtype("k"),
        type.dtype("v"),
        type.quantization(layers.size(), new KvScales(settings)));
  }

  /** A usable prefix needs the checkpoint at its end alone. */
  private void states(Slot slot, List<Integer> layers, Types types, List<KvGroup> groups) {
    String model = slot.ssmDtype();
    Dtype own = model == null ? types.conv() : Checkpoint.dtype("config.json: state", model);
    Dtype ssm = types.ssm() == null ? own : types.ssm();
    long bytes = slot.conv() * types.conv().bits() / 8 + slot.ssm() * ssm.bits() / 8;
    long most = MOST_BYTES * settings.shards().count() / Math.max(1, bytes);
    int parts = Math.ceilDiv(layers.size(), Math.clamp(most, 1, layers.size()));
    for (int p = 0; p < parts; p++) {
      int from = p * layers.size() / parts;
      List<Integer> some = layers.subList(from, (p + 1) * layers.size() / parts);
      groups.add(
          new KvGroup(
              groups.size(),
              GroupKind.STATE,
              HitRule.trailing(1),
              blockTokens,
              null,
              null,
              bytes * some.size(),
              some,
              null,
              null,
              null,
              types.conv(),
              ssm,
              null));
    }
  }
}
