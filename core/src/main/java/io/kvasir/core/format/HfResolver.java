package io.kvasir.core.format;

import io.kvasir.api.EngineSpec;
import io.kvasir.api.format.Dtype;
import io.kvasir.api.format.FormatException;
import io.kvasir.api.format.FormatResolver;
import io.kvasir.api.format.GroupKind;
import io.kvasir.api.format.KvFormat;
import io.kvasir.api.format.KvGroup;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Resolves the format of a model directory as published on Hugging Face, for engines with vLLM's
 * settings: {@code config.json} and {@code hf_quant_config.json} by the rules of the model's class.
 * A class that is not in the table is refused by name.
 *
 * <p>Settings, all optional but {@code layout}:
 *
 * <ul>
 *   <li>{@code layout}: order of the dimensions within a block, with a version
 *   <li>{@code kv_cache_dtype}: vLLM's names; {@code auto} or absent is what the checkpoint says
 *   <li>{@code kv_cache_dtype_skip_layers}: layers that keep the model's type: indices, or {@code
 *       sliding_window}
 *   <li>{@code kv_scales}: {@code "one"}, or digests of the checkpoint's scales, for fp8
 *   <li>{@code calculate_kv_scales}: refused if true
 *   <li>{@code dtype}: what the model computes with; {@code auto} or absent is the checkpoint's
 *   <li>{@code quantization}: of the weights, where the engine does it
 *   <li>{@code tensor_parallel}, {@code pipeline_parallel}: ranks, 1 if absent
 *   <li>{@code kv_head_shards}: shards of KV heads, where the layout makes them independent of
 *       ranks
 *   <li>{@code runner}: which of the engine's runners stores the blocks
 *   <li>{@code numerics}: what bit equality depends on
 *   <li>{@code hf_overrides}: object that replaces fields of {@code config.json}
 *   <li>{@code rope_pinned_length}: the length whose one RoPE table the engine uses for all
 *       requests
 * </ul>
 */
public final class HfResolver implements FormatResolver {
  private static final Set<String> SETTINGS =
      Set.of(
          "layout",
          "kv_cache_dtype",
          "kv_cache_dtype_skip_layers",
          "kv_scales",
          "calculate_kv_scales",
          "dtype",
          "quantization",
          "tensor_parallel",
          "pipeline_parallel",
          "kv_head_shards",
          "runner",
          "numerics",
          "hf_overrides",
          "rope_pinned_length");

  /** Creates the resolver. */
  public HfResolver() {}

  @Override
  public String name() {
    return "hf";
  }

  @Override
  public KvFormat resolve(EngineSpec spec) {
    Settings settings = Settings.of(spec, name(), SETTINGS);
    HfModel model = HfModel.read(spec, settings);
    if (!settings.decides("layout")) {
      throw settings
          .fields()
          .error(
              "layout",
              "missing; give the order of the dimensions within a block, with a version, such as"
                  + " \"layer-kv-token-head/1\"");
    }
    Dtype dtype = model.checkpoint().dtype(settings);
    String name =
        settings.decides("kv_cache_dtype")
            ? settings.fields().text("kv_cache_dtype")
            : model.checkpoint().kvType().orElse(null);
    CacheType plain = CacheType.plain(dtype);
    CacheType type =
        name == null ? plain : CacheType.named("vllm", name, "settings.kv_cache_dtype", dtype);
    if (settings.flag("calculate_kv_scales") && type.scalesInEngine()) {
      new KvScales(settings).digest("k", 1); // says why not
    }
    List<KvGroup> groups =
        new Groups(model.config(), spec.blockTokens(), new KvScales(settings))
            .of(type, plain, skipped(settings, model.config()));
    return model.format(
        settings.engine(spec.engine()), settings.fields().text("layout"), dtype, groups, settings);
  }

  private static Set<Integer> skipped(Settings settings, NormalConfig config) {
    Fields fields = settings.fields();
    Set<Integer> out = new HashSet<>();
    if (fields.isNull("kv_cache_dtype_skip_layers")) {
      return out;
    }
    List<GroupKind> kinds = config.kinds();
    for (Object item : fields.list("kv_cache_dtype_skip_layers")) {
      String text = String.valueOf(item);
      if (text.equals("sliding_window")) {
        for (int i = 0; i < kinds.size(); i++) {
          if (kinds.get(i) == GroupKind.SLIDING) {
            out.add(i);
          }
        }
      } else if (text.matches("[0-9]{1,4}") && Integer.parseInt(text) < kinds.size()) {
        out.add(Integer.parseInt(text));
      } else {
        throw new FormatException(
            "settings.kv_cache_dtype_skip_layers: %s is neither one of the %d layers nor \"sliding_window\""
                .formatted(Fields.show(item), kinds.size()));
      }
    }
    return out;
  }
}
