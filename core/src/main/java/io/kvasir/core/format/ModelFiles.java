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
 * What a model's files say, as published.
 *
 * @param place what stands before a name in an error
 * @param config {@code config.json}, with the engine's overrides, or what a GGUF header says in its
 *     names
 * @param quantization {@code hf_quant_config.json}, where there is one
 */
record ModelFiles(
    String place, Map<String, Object> config, Optional<Map<String, Object>> quantization) {
  private static final String CONFIG = "config.json";

  /** {@return the files of a directory, or a configuration file and the quantisation beside it} */
  static ModelFiles hf(EngineSpec spec, Settings settings) {
    Path model = model(spec, CONFIG);
    Path file = Files.isDirectory(model) ? model.resolve(CONFIG) : model;
    if (!Files.isRegularFile(file)) {
      throw new FormatException(
          file
              + ": there is no such file; give the model's directory, or declare the format with"
              + " the resolver \"explicit\"");
    }
    String name = file.getFileName().toString();
    String own = name.endsWith(".json") ? name.substring(0, name.length() - 5) : name;
    Path quantization =
        file.resolveSibling((name.equals(CONFIG) ? "" : own + ".") + "hf_quant_config.json");
    return new ModelFiles(
        CONFIG + ": ",
        overridden(json(file), settings),
        Files.exists(quantization) ? Optional.of(json(quantization)) : Optional.empty());
  }

  /** {@return what the header of a GGUF file says} */
  static ModelFiles gguf(EngineSpec spec, Settings settings) {
    Path file = GgufParts.header(model(spec, "a GGUF header"));
    String place = file.getFileName() + ": ";
    return new ModelFiles(
        place,
        overridden(GgufModel.config(place, GgufParts.read(file)), settings),
        Optional.empty());
  }

  private static Path model(EngineSpec spec, String what) {
    return spec.model()
        .orElseThrow(
            () ->
                new FormatException(
                    "model: missing, but %s is read from it; give EngineSpec.model, or declare the format with the resolver \"explicit\""
                        .formatted(what)));
  }

  /** An override replaces a value; objects are merged, as vLLM and transformers do it. */
  private static Map<String, Object> overridden(Map<String, Object> config, Settings settings) {
    Map<String, Object> out = new LinkedHashMap<>(settings.optional("hf_overrides").json());
    new Fields("", out).fill(config);
    return out;
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
}
