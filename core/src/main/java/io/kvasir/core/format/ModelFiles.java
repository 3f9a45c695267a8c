package io.kvasir.core.format;

import io.kvasir.api.EngineSpec;
import io.kvasir.api.format.FormatException;
import io.kvasir.api.identity.IdentityException;
import io.kvasir.core.identity.StrictJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The configuration files of a model's directory, as published.
 *
 * @param config {@code config.json}, with the engine's overrides
 * @param quantization {@code hf_quant_config.json}, where there is one
 */
record ModelFiles(Map<String, Object> config, Optional<Map<String, Object>> quantization) {
  static ModelFiles read(EngineSpec spec, Settings settings) {
    Path directory =
        spec.model()
            .orElseThrow(
                () ->
                    new FormatException(
                        "model: missing, but config.json is read from its directory; give"
                            + " EngineSpec.model, or declare the format with the resolver"
                            + " \"explicit\""));
    Path file = directory.resolve("config.json");
    if (!Files.isRegularFile(file)) {
      throw new FormatException(
          "%s: there is no such file; give the model's directory, or declare the format with the resolver \"explicit\""
              .formatted(file));
    }
    Map<String, Object> config = json(file);
    if (!settings.fields().isNull("hf_overrides")) {
      config = merged(config, settings.fields().object("hf_overrides").json());
    }
    Path quantization = directory.resolve("hf_quant_config.json");
    return new ModelFiles(
        config, Files.exists(quantization) ? Optional.of(json(quantization)) : Optional.empty());
  }

  private static Map<String, Object> json(Path file) {
    try {
      return StrictJson.modelFile(file);
    } catch (IdentityException e) {
      throw new FormatException(e.getMessage(), e);
    } catch (IOException e) {
      throw new FormatException("%s: cannot be read: %s".formatted(file, e), e);
    }
  }

  /** An override replaces a value; objects are merged, as vLLM and transformers do it. */
  private static Map<String, Object> merged(
      Map<String, Object> config, Map<String, Object> overrides) {
    Map<String, Object> out = new LinkedHashMap<>(config);
    overrides.forEach(
        (name, value) ->
            out.put(
                name,
                value instanceof Map<?, ?> m && out.get(name) instanceof Map<?, ?> old
                    ? merged(Tables.object(old), Tables.object(m))
                    : value));
    return out;
  }
}
