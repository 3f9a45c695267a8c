package io.kvasir.core.format;

import io.kvasir.api.format.FormatException;
import io.kvasir.api.format.GroupKind;
import io.kvasir.api.format.HitRule;
import io.kvasir.api.format.KvGroup;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Puts the layers of a model into groups: one per kind and KV type, by their first layer. */
final class Groups {
  private final NormalConfig config;
  private final int blockTokens;
  private final KvScales scales;

  Groups(NormalConfig config, int blockTokens, KvScales scales) {
    this.config = config;
    this.blockTokens = blockTokens;
    this.scales = scales;
  }

  /**
   * {@return the groups}
   *
   * @param type how K and V are stored
   * @param plain how they are stored in the layers of {@code skipped}
   * @param skipped layers that the engine leaves as the model computes them
   */
  List<KvGroup> of(CacheType type, CacheType plain, Set<Integer> skipped) {
    if (config.model().latent() && type.scalesInBlock()) {
      throw new FormatException(
          "kv_cache_dtype: scales in the block are not stored for the latent attention of the class %s; choose a plain or fp8 type"
              .formatted(config.model().type()));
    }
    Map<Key, List<Integer>> layers = new LinkedHashMap<>();
    for (int i = 0; i < config.kinds().size(); i++) {
      CacheType own = skipped.contains(i) ? plain : type;
      layers.computeIfAbsent(new Key(config.kinds().get(i), own), _ -> new ArrayList<>()).add(i);
    }
    List<KvGroup> groups = new ArrayList<>();
    layers.forEach((key, list) -> groups.add(group(groups.size(), key, list)));
    return groups;
  }

  private record Key(GroupKind kind, CacheType type) {}

  private KvGroup group(int id, Key key, List<Integer> layers) {
    boolean slides = key.kind() == GroupKind.SLIDING;
    return new KvGroup(
        id,
        key.kind(),
        slides ? HitRule.trailing(config.window()) : HitRule.ALL,
        blockTokens,
        slides ? config.window() : null,
        null,
        null,
        layers,
        config.kvHeads(),
        config.kDim(),
        config.vDim(),
        key.type().dtype("k"),
        key.type().dtype("v"),
        key.type().quantization(layers.size(), scales));
  }
}
