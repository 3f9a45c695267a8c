package io.kvasir.core.identity;

import io.kvasir.api.KvasirException;
import io.kvasir.api.identity.BlockHasher;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.identity.IdentityPolicy;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.identity.RequestScope;
import java.util.HexFormat;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * {@code lmdeploy-v1}: byte-compatible with the keys and raw values of LMDeploy's Mooncake
 * connector before the fix of InternLM/lmdeploy#4930, to read, audit or migrate what such an engine
 * wrote: {@code [cache_prefix@]model@tp_rank:R@group:0@hash}.
 *
 * <p>Unsafe by construction: only the model's name, the prefix, the block size, the tokens and an
 * adapter's name are in a key. What would be served to the wrong <em>request</em> is refused: a
 * scope with modifiers or a salt, and content items. A deployment with more than one group is
 * refused too, because every key says {@code group:0}.
 */
public final class LmdeployV1Policy implements IdentityPolicy {
  /** The label of a manifest that names the model where the setting does not. */
  public static final String MODEL_LABEL = "model";

  private static final String NAME = "lmdeploy-v1";

  private final String model;
  private final String cachePrefix;
  private final String adapter;

  /** Creates the policy with its defaults, as a service. */
  public LmdeployV1Policy() {
    this(null, "", "");
  }

  private LmdeployV1Policy(String model, String cachePrefix, String adapter) {
    this.model = model;
    this.cachePrefix = cachePrefix;
    this.adapter = adapter;
  }

  @Override
  public String name() {
    return NAME;
  }

  /**
   * {@return the policy with these settings}
   *
   * @param settings {@code model}, the name in the keys, by default the manifest's label; {@code
   *     cache_prefix}, by default empty; {@code adapter}, the adapter's name as the engine gave it
   *     to its hash, by default empty, as an engine hashes that was asked for none ({@code
   *     request.adapter_name or ''} in the report)
   */
  @Override
  public IdentityPolicy configured(Map<String, Object> settings) {
    PolicySettings s =
        PolicySettings.of(this, settings, Set.of("model", "cache_prefix", "adapter"));
    String name = s.text("model");
    if (name != null && name.isEmpty()) {
      throw noModel("\"\" names no model");
    }
    return new LmdeployV1Policy(
        name,
        Objects.requireNonNullElse(s.text("cache_prefix"), cachePrefix),
        Objects.requireNonNullElse(s.text("adapter"), adapter));
  }

  @Override
  public NamespaceManifest namespace(NamespaceManifest deployment) {
    if (deployment.groups() != 1) {
      throw new KvasirException(
          "identity.policy: \"%s\" has keys for one group of layers, and this deployment has %s;"
                  .formatted(NAME, deployment.groups())
              + " use \"strict\"");
    }
    return deployment.reduced(
        NAME, Map.of("model", model(deployment), "cache_prefix", cachePrefix));
  }

  @Override
  public BlockHasher hasher(NamespaceManifest namespace, RequestScope scope) {
    if (!scope.modifiers().isEmpty()) {
      throw new KvasirException(
          "identity.policy: \"%s\" cannot tell a request with the modifier %s %s from one without;"
                  .formatted(
                      NAME,
                      scope.modifiers().getFirst().kind(),
                      scope.modifiers().getFirst().digest())
              + " use \"strict\"");
    }
    if (scope.salt() != null) {
      throw new KvasirException(
          "identity.policy: \"%s\" cannot keep a salted request apart; use \"strict\""
              .formatted(NAME));
    }
    return new LmdeployV1Hasher(adapter);
  }

  @Override
  public String key(BlockKeys keys, int block) {
    // no String.format: in some locales it writes digits that are not 0 to 9
    return (cachePrefix.isEmpty() ? "" : cachePrefix + "@")
        + model(keys.namespace())
        + "@tp_rank:"
        + keys.shard()
        + "@group:0@"
        + HexFormat.of().formatHex(keys.hash(block));
  }

  /** The values are raw bytes without a header. */
  @Override
  public Guard guard() {
    return Guard.SIZE;
  }

  private String model(NamespaceManifest namespace) {
    String name = model == null ? namespace.labels().get(MODEL_LABEL) : model;
    if (name == null || name.isEmpty()) {
      throw noModel("missing");
    }
    return name;
  }

  private static KvasirException noModel(String what) {
    return new KvasirException(
        "identity.model: %s; \"%s\" has the model's name in each key: write the one that the engine"
                .formatted(what, NAME)
            + " used, such as \"Qwen2.5-0.5B-Instruct\"");
  }
}
