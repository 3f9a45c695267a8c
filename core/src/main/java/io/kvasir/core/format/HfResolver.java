package io.kvasir.core.format;

import io.kvasir.api.EngineSpec;
import io.kvasir.api.format.Dtype;
import io.kvasir.api.format.FormatResolver;
import io.kvasir.api.format.GroupKind;
import io.kvasir.api.format.KvFormat;
import io.kvasir.api.format.KvGroup;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.stream.IntStream;

/**
 * Resolves the format of a model directory as published on Hugging Face, for engines with vLLM's
 * settings: {@code config.json} and {@code hf_quant_config.json} by the rules of the model's class.
 * A class that is not in the table is refused by name.
 *
 * <p>Settings, all optional but {@code layout}:
 *
 * <ul>
 *   <li>{@code layout}: order of the dimensions within a block, with a version
 *   <li>{@code kv_cache_dtype}: the engine's names (vLLM, SGLang, llama.cpp, Jlama; vLLM's for
 *       others); {@code auto} or absent is what the checkpoint says, or what the engine makes of it
 *   <li>{@code kv_cache_dtype_skip_layers}: layers that keep the model's type: indices, or {@code
 *       sliding_window}
 *   <li>{@code kv_scales}: {@code "one"}, or digests of the checkpoint's scales, for fp8
 *   <li>{@code calculate_kv_scales}: refused if true
 *   <li>{@code mamba_cache_dtype}, {@code mamba_ssm_cache_dtype}: types of a state; {@code auto} or
 *       absent is the model's
 *   <li>{@code dtype}: what the model computes with; {@code auto} or absent is the checkpoint's
 *   <li>{@code quantization}: of the weights, where the engine does it
 *   <li>{@code tensor_parallel}, {@code pipeline_parallel}: ranks, 1 if absent
 *   <li>{@code kv_head_shards}: shards of KV heads, where the layout makes them independent of
 *       ranks
 *   <li>{@code runner}: which of the engine's runners stores the blocks
 *   <li>{@code numerics}: what bit equality depends on
 *   <li>{@code hf_overrides}: object that replaces fields of {@code config.json}
 *   <li>{@code rope_pinned_length}: the length whose one RoPE table the engine uses for all
 *       requests, or {@code max_position_embeddings}
 * </ul>
 */
public final class HfResolver implements FormatResolver {
  /** Creates the resolver. */
  public HfResolver() {}

  @Override
  public String name() {
    return "hf";
  }

  @Override
  public KvFormat resolve(EngineSpec spec) {
    return resolve(spec, name(), ModelFiles::hf);
  }

  static KvFormat resolve(
      EngineSpec spec, String name, BiFunction<EngineSpec, Settings, ModelFiles> files) {
    Settings settings = new Settings(spec, name);
    Checkpoint model = Checkpoint.read(files.apply(spec, settings), settings);
    Rules rules = Rules.of(Tables.of(Tables.ENGINES, spec.engine()));
    Dtype dtype =
        rules.flag("dtype") && !settings.decides("dtype")
            ? Checkpoint.dtype("engines", rules.rule("dtype"))
            : model.dtype(settings);
    if (!settings.decides("layout")) {
      throw settings.asks(
          "layout",
          "layout",
          "missing; give the order of the dimensions within a block, with a version, such as"
              + " \"layer-kv-token-head/1\"");
    }
    CacheType plain = CacheType.plain(dtype);
    Groups.Types types =
        new Groups.Types(
            cacheType(spec.engine(), rules, plain, model, settings),
            plain,
            rules.flag("index") ? new CacheType(rules.table("index"), dtype) : plain,
            skipped(settings, model.config()),
            settings.dtype("mamba_cache_dtype", dtype),
            settings.dtype("mamba_ssm_cache_dtype", null));
    List<KvGroup> groups = new Groups(model.config(), spec.blockTokens(), settings).of(types);
    String engine =
        spec.engine() + (settings.decides("runner") ? "/" + settings.text("runner") : "");
    return model.format(engine, settings.text("layout"), dtype, groups, settings);
  }

  private static CacheType cacheType(
      String engine, Rules rules, CacheType plain, Checkpoint model, Settings settings) {
    String asked =
        settings.decides("kv_cache_dtype") ? settings.text("kv_cache_dtype") : model.kvType();
    if (model.config().model().flag("sparse")) {
      asked = (String) rules.table("sparse").getOrDefault(asked, asked);
    }
    String name = asked.equals("auto") ? rules.rule("auto") : asked;
    String table = Tables.of(Tables.ENGINES).containsKey(engine) ? engine : "vllm";
    return name == null
        ? plain
        : CacheType.named(table, name, "settings.kv_cache_dtype", plain.model());
  }

  private static Set<Integer> skipped(Settings settings, NormalConfig config) {
    String name = "kv_cache_dtype_skip_layers";
    List<List<Slot>> layers = config.layers();
    Set<Integer> out = new HashSet<>();
    for (Object item : settings.isNull(name) ? List.of() : settings.list(name)) {
      String text = String.valueOf(item);
      if (text.equals("sliding_window")) {
        IntStream.range(0, layers.size())
            .filter(i -> layers.get(i).stream().anyMatch(s -> s.kind() == GroupKind.SLIDING))
            .forEach(out::add);
      } else if (text.matches("[0-9]{1,4}") && Integer.parseInt(text) < layers.size()) {
        out.add(Integer.parseInt(text));
      } else {
        throw settings.error(
            name,
            "%s is neither one of the %d layers nor \"sliding_window\"",
            Fields.show(item),
            layers.size());
      }
    }
    return out;
  }
}
