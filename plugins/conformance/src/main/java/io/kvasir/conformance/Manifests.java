package io.kvasir.conformance;

import io.kvasir.api.format.Dtype;
import io.kvasir.api.format.KvFormat;
import io.kvasir.api.format.KvGroup;
import io.kvasir.api.format.ModelConfiguration;
import io.kvasir.api.format.Shards;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.identity.Weights;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Manifests for tests: a base, and the base with one field changed at a time. */
public final class Manifests {
  /** Tokens of a block. */
  public static final int BLOCK_TOKENS = 16;

  private static final String DIGEST = "sha256:" + "0123456789abcdef".repeat(4);

  private Manifests() {}

  /** {@return a format of one group whose blocks have that many bytes, a multiple of 64} */
  public static KvFormat format(long blockBytes) {
    if (blockBytes < 64 || blockBytes % 64 != 0) {
      throw new IllegalArgumentException(
          "blocks of %d bytes: give a multiple of 64".formatted(blockBytes));
    }
    // K and V × 16 tokens × 1 layer × 1 head × 2 bytes = 64 bytes per element of a head
    return format(group(0, (int) (blockBytes / 64)));
  }

  /** {@return a format of these groups, unsharded} */
  public static KvFormat format(KvGroup... groups) {
    return format(Shards.ONE, groups);
  }

  /** {@return a format of these groups in these shards} */
  public static KvFormat format(Shards shards, KvGroup... groups) {
    return KvFormat.of(
        ModelConfiguration.of(Map.of("model_type", "kit", "rope_theta", 10000)),
        new KvFormat.Compute("bf16", "bf16"),
        "kit",
        "layer-kv-token-head/1",
        List.of(groups),
        shards);
  }

  /** {@return a group of one layer and one head} */
  public static KvGroup group(int id, int headDim) {
    return KvGroup.full(id, BLOCK_TOKENS, List.of(id), 1, headDim, Dtype.BF16);
  }

  /** {@return the weights of the base} */
  public static Weights weights() {
    return Weights.named("kit-model", "release-1");
  }

  /** {@return a manifest of that tenant whose blocks have that many bytes} */
  public static NamespaceManifest of(String tenant, long blockBytes) {
    return NamespaceManifest.of(tenant, weights(), format(blockBytes));
  }

  /** {@return a manifest whose blocks have one shard for each of {@code shards} KV heads} */
  public static NamespaceManifest sharded(String tenant, long blockBytes, int groups, int shards) {
    KvGroup[] all = new KvGroup[groups];
    for (int g = 0; g < groups; g++) {
      int dim = (int) (blockBytes / 64);
      all[g] = KvGroup.full(g, BLOCK_TOKENS, List.of(g), shards, dim, Dtype.BF16);
    }
    return NamespaceManifest.of(tenant, weights(), format(new Shards.KvHead(shards), all));
  }

  /** {@return manifests that differ from {@link #of} in one field each, by the field's name} */
  public static Map<String, NamespaceManifest> oneFieldChanged(String tenant, long blockBytes) {
    KvFormat f = format(blockBytes);
    int dim = (int) (blockBytes / 64);
    Map<String, NamespaceManifest> out = new LinkedHashMap<>();
    out.put("tenant", NamespaceManifest.of(tenant + "2", weights(), f));
    Map<String, Weights> states = new LinkedHashMap<>();
    states.put("weights.name", Weights.named("kit-model", "release-2"));
    states.put("weights.model", Weights.named("kit-model2", "release-1"));
    states.put("weights.content", Weights.content(DIGEST));
    states.put("weights.full", Weights.full("run-1", "step-1"));
    states.put("weights.run", Weights.full("run-2", "step-1"));
    states.put("weights.delta", Weights.delta(weights(), "run-1", "step-1"));
    states.put("weights.unknown", Weights.unknown());
    states.forEach((name, state) -> out.put(name, NamespaceManifest.of(tenant, state, f)));
    Map<String, KvFormat> formats = new LinkedHashMap<>();
    formats.put(
        "config",
        with(
            f,
            ModelConfiguration.of(Map.of("model_type", "kit", "rope_theta", 10001)),
            null,
            null,
            null,
            null));
    formats.put(
        "compute.weights", with(f, null, new KvFormat.Compute("fp8", "bf16"), null, null, null));
    formats.put(
        "compute.activations",
        with(f, null, new KvFormat.Compute("bf16", "f16"), null, null, null));
    formats.put("engine", with(f, null, null, "kit2", null, null));
    formats.put("layout", with(f, null, null, null, "layer-kv-head-token/1", null));
    formats.put("shards", with(f, null, null, null, null, new Shards.Rank(1, 1)));
    formats.put("numerics", f.withNumerics("kit/avx2"));
    formats.put("extensions", f.withExtension("kit.codec", "zstd"));
    formats.put("layers", format(KvGroup.full(0, BLOCK_TOKENS, List.of(1), 1, dim, Dtype.BF16)));
    formats.put("dtype", format(KvGroup.full(0, BLOCK_TOKENS, List.of(0), 1, dim, Dtype.F16)));
    formats.put(
        "block size", format(KvGroup.full(0, BLOCK_TOKENS, List.of(0), 1, dim * 2, Dtype.BF16)));
    formats.forEach(
        (name, format) -> out.put(name, NamespaceManifest.of(tenant, weights(), format)));
    return out;
  }

  private static KvFormat with(
      KvFormat f,
      ModelConfiguration config,
      KvFormat.Compute compute,
      String engine,
      String layout,
      Shards shards) {
    return new KvFormat(
        config == null ? f.config() : config,
        compute == null ? f.compute() : compute,
        engine == null ? f.engine() : engine,
        layout == null ? f.layout() : layout,
        f.byteOrder(),
        f.hashing(),
        f.numerics(),
        f.groups(),
        shards == null ? f.shards() : shards,
        f.extensions());
  }
}
