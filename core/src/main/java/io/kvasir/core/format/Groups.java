package io.kvasir.core.format;

import io.kvasir.api.format.Dtype;
import io.kvasir.api.format.FormatException;
import io.kvasir.api.format.GroupKind;
import io.kvasir.api.format.HitRule;
import io.kvasir.api.format.KvGroup;
import java.util.ArrayList;
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

    private CacheType of(int layer, Slot slot) {
      return slot.kind() == GroupKind.INDEX ? index : skipped.contains(layer) ? plain : kv;
    }

    private CacheType state(Slot slot) {
      String model = slot.ssmDtype();
      Dtype own = model == null ? conv : Checkpoint.dtype("config.json: state", model);
      return CacheType.state(conv, ssm == null ? own : ssm);
    }
  }

  private record Part(Slot slot, CacheType type, List<Integer> layers) {}

  List<KvGroup> of(Types types) {
    Map<List<Object>, Part> parts = new LinkedHashMap<>();
    for (int i = 0; i < config.layers().size(); i++) {
      for (Slot slot : config.layers().get(i)) {
        CacheType type = types.of(i, slot);
        // a list and no record: to hash one, the JVM makes code first, which a short process feels
        String own = String.valueOf(slot.ssmDtype());
        List<Object> key = List.of(slot.kind(), slot.sizes(), own, type.rules());
        CacheType stored = slot.kind() == GroupKind.STATE ? types.state(slot) : type;
        parts.computeIfAbsent(key, _ -> new Part(slot, stored, new ArrayList<>())).layers().add(i);
      }
    }
    List<KvGroup> groups = new ArrayList<>();
    for (Part part : parts.values()) {
      check(part.slot(), part.type());
      int layers = part.layers().size();
      int cuts = cuts(part);
      for (int i = 0; i < cuts; i++) {
        List<Integer> some = part.layers().subList(i * layers / cuts, (i + 1) * layers / cuts);
        groups.add(group(groups.size(), part, some));
      }
    }
    return groups;
  }

  private int cuts(Part part) {
    long most = MOST_BYTES * settings.shards().count() / Math.max(1, stateBytes(part));
    int layers = part.layers().size();
    return part.slot().kind() == GroupKind.STATE
        ? Math.ceilDiv(layers, Math.clamp(most, 1, layers))
        : 1;
  }

  /** {@return bytes of one layer's state} */
  private static long stateBytes(Part part) {
    Map<String, Long> elements = part.slot().sizes();
    return (elements.getOrDefault("conv", 0L) * part.type().dtype("k").bits()
            + elements.getOrDefault("ssm", 0L) * part.type().dtype("v").bits())
        / 8;
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

  /** Of states a usable prefix needs the checkpoint at its end alone. */
  private KvGroup group(int id, Part part, List<Integer> layers) {
    Slot slot = part.slot();
    boolean state = slot.kind() == GroupKind.STATE;
    Integer trailing = state ? Integer.valueOf(1) : slot.size("window");
    return new KvGroup(
        id,
        slot.kind(),
        trailing == null ? HitRule.ALL : HitRule.trailing(trailing),
        blockTokens,
        slot.size("window"),
        slot.size("ratio"),
        state ? Long.valueOf(stateBytes(part) * layers.size()) : null,
        layers,
        slot.size("heads"),
        slot.size("k"),
        slot.size("v"),
        part.type().dtype("k"),
        part.type().dtype("v"),
        part.type().quantization(layers.size(), new KvScales(settings)));
  }
}
