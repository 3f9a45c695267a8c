package io.kvasir.cli;

import io.kvasir.api.EngineSpec;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Option;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** What an engine would say of itself. */
final class EngineOptions {
  @Option(names = "--engine", paramLabel = "NAME", description = "The engine, such as jlama.")
  private String engine;

  @Option(
      names = "--resolver",
      paramLabel = "NAME",
      description = "The format resolver; the engine's name unless given.")
  private String resolver;

  @Option(names = "--model", paramLabel = "DIRECTORY", description = "The model's directory.")
  private Path model;

  @Option(names = "--model-name", paramLabel = "NAME", description = "The model's name.")
  private String modelName;

  @Option(
      names = "--block-tokens",
      paramLabel = "N",
      defaultValue = "16",
      description = "Tokens of a block; ${DEFAULT-VALUE} unless given.")
  private int blockTokens;

  @Option(
      names = "--set",
      paramLabel = "NAME=VALUE",
      description = "A setting of the engine; the value is JSON, or else a text. Repeatable.")
  private Map<String, String> settings = new LinkedHashMap<>();

  EngineOptions() {}

  boolean given() {
    return engine != null;
  }

  EngineSpec spec(Common common) {
    if (engine == null) {
      throw common.wrong("name the engine: --engine NAME");
    }
    EngineSpec.Builder spec =
        EngineSpec.builder()
            .engine(engine)
            .resolver(resolver)
            .modelName(modelName)
            .blockTokens(blockTokens);
    if (model != null) {
      spec.model(model);
    }
    settings.forEach((name, value) -> spec.setting(name, value(value)));
    return spec.build();
  }

  /** {@return a value as JSON has it, or else the text} */
  static Object value(String text) {
    try {
      return JsonMapper.shared().readValue(text, Object.class);
    } catch (JacksonException e) {
      return text;
    }
  }
}
