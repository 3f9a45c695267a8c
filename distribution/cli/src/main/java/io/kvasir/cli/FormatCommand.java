package io.kvasir.cli;

import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.identity.Weights;
import io.kvasir.core.format.FormatPreview;
import io.kvasir.core.identity.Differences;
import io.kvasir.core.identity.Explain;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code kvasir format}. Neither a configuration nor a store is read. */
@Command(
    name = "format",
    description = {
      "Shows what a block of a model is: its groups of layers, their bytes per token, per block and"
          + " per rank, and what the identity takes from the model. Of two models it lists what"
          + " separates them."
    })
final class FormatCommand implements Callable<Integer> {
  @Mixin private Common common;

  @Parameters(
      arity = "1..2",
      paramLabel = "MODEL",
      description = "A model's directory, its config.json, or a GGUF file.")
  private List<Path> models;

  @Option(
      names = "--engine",
      paramLabel = "NAME",
      defaultValue = "none",
      description =
          "The engine: vllm, sglang, lmdeploy, llama.cpp or jlama; without one, K and V are"
              + " stored as the model computes them.")
  private String engine;

  @Option(
      names = "--kv-cache-dtype",
      paramLabel = "TYPE",
      description = "The engine's name of the type of K and V; of LMDeploy, the quant_policy.")
  private String cacheType;

  @Option(
      names = "--block-tokens",
      paramLabel = "N",
      description = "Tokens of a block; 16 unless given, or 128 where entries need it.")
  private Integer blockTokens;

  @Option(
      names = "--tp",
      paramLabel = "N",
      defaultValue = "1",
      description = "Ranks of tensor parallelism; ${DEFAULT-VALUE} unless given.")
  private int ranks;

  @Option(
      names = "--set",
      paramLabel = "NAME=VALUE",
      description = "A setting of the engine; the value is JSON, or else a text. Repeatable.")
  private Map<String, String> settings = new LinkedHashMap<>();

  FormatCommand() {}

  @Override
  public Integer call() {
    Output output = common.output();
    List<FormatPage> pages = new ArrayList<>();
    for (Path model : models) {
      pages.add(new FormatPage(model, preview(model)));
    }
    Optional<Differences> differences =
        pages.size() == 2
            ? Optional.of(Explain.between(side("left", pages), side("right", pages)))
            : Optional.empty();
    if (output.json()) {
      output.value(json(pages, differences));
      return ExitCode.OK;
    }
    for (FormatPage page : pages) {
      page.print(output);
    }
    differences.ifPresent(d -> output.line(d.text().stripTrailing()));
    return ExitCode.OK;
  }

  private static Map<String, Object> json(List<FormatPage> pages, Optional<Differences> between) {
    if (between.isEmpty()) {
      return pages.getFirst().json();
    }
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("models", pages.stream().map(FormatPage::json).toList());
    json.put("differences", between.get().json());
    return json;
  }

  private FormatPreview preview(Path model) {
    Map<String, Object> all = new LinkedHashMap<>();
    settings.forEach((name, value) -> all.put(name, EngineOptions.value(value)));
    if (cacheType != null) {
      all.put("kv_cache_dtype", cacheType);
    }
    if (ranks != 1) {
      all.put("tensor_parallel", ranks);
    }
    return FormatPreview.of(model, engine, Optional.ofNullable(blockTokens), all);
  }

  /** The formats alone are compared: tenant and weights are the same for both. */
  private static Explain.Side side(String name, List<FormatPage> pages) {
    FormatPage page = pages.get(name.equals("left") ? 0 : 1);
    NamespaceManifest manifest =
        NamespaceManifest.of("any", Weights.named("any", "one"), page.preview().format());
    return new Explain.Side(name, manifest.json(), page.preview().format().config().tree());
  }
}
