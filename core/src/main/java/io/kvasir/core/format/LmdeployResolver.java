package io.kvasir.core.format;

import io.kvasir.api.EngineSpec;
import io.kvasir.api.format.Dtype;
import io.kvasir.api.format.FormatResolver;
import io.kvasir.api.format.KvFormat;
import io.kvasir.api.format.KvGroup;
import java.util.List;
import java.util.Map;

/**
 * Resolves the format of a model directory for LMDeploy: as {@link HfResolver} does, with
 * LMDeploy's settings. What {@code quant_policy} stores, its K and V types, scales and zero points
 * in the block, is in {@code cache-types.json}.
 *
 * <p>Settings:
 *
 * <ul>
 *   <li>{@code quant_policy}: 0, 4, 8, 16, 17 or 42, or LMDeploy's name for it; required, because
 *       forgetting it is how fp16 and int4 came to share keys (InternLM/lmdeploy#4930)
 *   <li>{@code backend}: {@code pytorch} or {@code turbomind}; required unless the engine's name is
 *       {@code lmdeploy-pytorch} or {@code turbomind}
 *   <li>{@code kv_scales}: {@code "one"}, or digests of the checkpoint's scales, for fp8
 *   <li>{@code mla_cache_dtype}: of latent attention: the model's type, or {@code fp8} which is
 *       policy 16
 *   <li>{@code device_type}: {@code cuda} if absent, as in LMDeploy
 *   <li>{@code dtype}, {@code tensor_parallel}, {@code pipeline_parallel}, {@code kv_head_shards},
 *       {@code layout}, {@code numerics}, {@code hf_overrides}, {@code rope_pinned_length}: as in
 *       {@link HfResolver}; the layout is the backend's own unless given
 * </ul>
 */
public final class LmdeployResolver implements FormatResolver {
  private static final Map<String, String> POLICIES =
      Map.of(
          "none",
          "0",
          "int4",
          "4",
          "int8",
          "8",
          "fp8",
          "16",
          "fp8_e4m3",
          "16",
          "fp8_e5m2",
          "17",
          "turbo_quant",
          "42");
  private static final String PYTORCH = "lmdeploy-pytorch";
  private static final String TURBOMIND = "turbomind";

  /** Creates the resolver. */
  public LmdeployResolver() {}

  @Override
  public String name() {
    return "lmdeploy";
  }

  @Override
  public KvFormat resolve(EngineSpec spec) {
    Settings settings = new Settings(spec, name());
    Checkpoint model = Checkpoint.read(ModelFiles.hf(spec, settings), settings);
    String engine = engine(spec, settings);
    Dtype dtype = model.dtype(settings);
    String policy = policy(settings, model, dtype);
    if (engine.equals(TURBOMIND) && List.of("16", "17", "42").contains(policy)) {
      throw settings.error(
          "quant_policy",
          "%s is not supported by TurboMind; give 0, 4 or 8, or the backend \"pytorch\""
              .formatted(policy));
    }
    if (model.config().latent() && List.of("4", "8", "42").contains(policy)) {
      throw settings.error(
          "quant_policy",
          "%s is not stored for the latent attention of the class %s; give 0, 16 or 17"
              .formatted(policy, model.config().model().type()));
    }
    boolean sparse = policy.equals("16") && model.config().model().flag("sparse");
    CacheType type =
        sparse
            ? CacheType.named("vllm", "fp8_ds_mla", "settings.quant_policy", dtype)
            : CacheType.named("lmdeploy", policy, "settings.quant_policy", dtype);
    List<KvGroup> groups =
        new Groups(model.config(), spec.blockTokens(), settings).of(Groups.Types.of(type, dtype));
    String layout =
        settings.text(
            "layout", engine.equals(PYTORCH) ? "layer-kv-token-head/1" : "turbomind-block/1");
    return model
        .format(engine, layout, dtype, groups, settings)
        .withExtension("lmdeploy.device_type", settings.text("device_type", "cuda"));
  }

  private static String engine(EngineSpec spec, Settings settings) {
    String named = spec.engine().equals("lmdeploy-turbomind") ? TURBOMIND : spec.engine();
    boolean byName = named.equals(PYTORCH) || named.equals(TURBOMIND);
    if (!settings.decides("backend")) {
      if (byName) {
        return named;
      }
      throw settings.asks(
          "backend",
          "backend",
          "missing; give \"pytorch\" or \"turbomind\": they store blocks differently");
    }
    String engine =
        switch (settings.text("backend")) {
          case "pytorch" -> PYTORCH;
          case "turbomind" -> TURBOMIND;
          default -> throw settings.wrong("backend", "\"pytorch\" or \"turbomind\"");
        };
    if (byName && !named.equals(engine)) {
      throw settings.error(
          "backend", "%s contradicts the engine's name %s".formatted(engine, named));
    }
    return engine;
  }

  private static String policy(Settings settings, Checkpoint model, Dtype dtype) {

    if (!settings.decides("quant_policy")) {
      throw settings.asks(
          "quant_policy",
          "quant_policy",
          "missing; give 0 where K and V are stored as computed, else 4, 8, 16, 17 or 42");
    }
    String policy =
        settings.get("quant_policy") instanceof String s
            ? POLICIES.getOrDefault(s, s)
            : String.valueOf(settings.integer("quant_policy", 0, 99));
    if (!settings.decides("mla_cache_dtype")) {
      return policy;
    }
    String latent = settings.text("mla_cache_dtype");
    if (!model.config().latent()) {
      throw settings.error(
          "mla_cache_dtype",
          "\"%s\", but the class %s has no latent attention; leave it out"
              .formatted(latent, model.config().model().type()));
    }
    CacheType type = CacheType.named("vllm", latent, "settings.mla_cache_dtype", dtype);
    String means = type.dtype("k") == dtype ? "0" : type.dtype("k") == Dtype.FP8_E4M3 ? "16" : "";
    if (type.scalesIn("block") || !means.equals(policy)) {
      throw settings.error(
          "mla_cache_dtype",
          "\"%s\" contradicts quant_policy %s and dtype %s"
              .formatted(latent, policy, dtype.wireName()));
    }
    return policy;
  }
}
