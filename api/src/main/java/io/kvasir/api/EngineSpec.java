package io.kvasir.api;

import io.kvasir.api.identity.Weights;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What an engine says of itself when it connects.
 *
 * @param engine the engine's name: {@code jlama}, {@code lmdeploy}
 * @param resolver name of the {@link io.kvasir.api.format.FormatResolver}; the engine's name unless
 *     given
 * @param model directory of the model, where there is one
 * @param modelName name of the model; the directory's last name unless given
 * @param blockTokens tokens of a block
 * @param weights state of the weights, where the engine knows it; otherwise the configuration says
 *     how they are named
 * @param settings settings of the engine that decide a block's meaning: {@code kv_cache_dtype},
 *     {@code tensor_parallel}, …; unknown ones are refused by the resolver
 */
public record EngineSpec(
    String engine,
    String resolver,
    Optional<Path> model,
    String modelName,
    int blockTokens,
    Optional<Weights> weights,
    Map<String, Object> settings) {

  /** Copies the settings. */
  public EngineSpec {
    settings = java.util.Collections.unmodifiableMap(new TreeMap<>(settings));
  }

  /** {@return a builder} */
  public static Builder builder() {
    return new Builder();
  }

  /** Collects a specification. */
  public static final class Builder {
    private String engine;
    private String resolver;
    private Path model;
    private String modelName;
    private int blockTokens;
    private Weights weights;
    private final Map<String, Object> settings = new LinkedHashMap<>();

    private Builder() {}

    /** Names the engine; required. */
    public Builder engine(String engine) {
      this.engine = engine;
      return this;
    }

    /** Names the resolver, if it is not the engine's. */
    public Builder resolver(String resolver) {
      this.resolver = resolver;
      return this;
    }

    /** Gives the model's directory. */
    public Builder model(Path directory) {
      this.model = directory;
      return this;
    }

    /** Names the model; a label where the weights are named by content. */
    public Builder modelName(String name) {
      this.modelName = name;
      return this;
    }

    /** Gives the tokens of a block; required. */
    public Builder blockTokens(int tokens) {
      this.blockTokens = tokens;
      return this;
    }

    /** Gives the state of the weights; it wins over the configuration. */
    public Builder weights(Weights weights) {
      this.weights = weights;
      return this;
    }

    /** Gives a setting that decides a block's meaning. */
    public Builder setting(String name, Object value) {
      settings.put(name, value);
      return this;
    }

    /**
     * {@return the specification}
     *
     * @throws KvasirException if the engine or the block size is missing
     */
    public EngineSpec build() {
      if (engine == null || engine.isBlank()) {
        throw new KvasirException("engine: missing; name the engine, as in engine(\"jlama\")");
      }
      if (blockTokens < 1) {
        throw new KvasirException(
            "blockTokens: %d is no block size; give the tokens of a block, as in blockTokens(16)"
                .formatted(blockTokens));
      }
      String name = modelName;
      if (name == null) {
        name =
            model == null ? "" : String.valueOf(model.toAbsolutePath().normalize().getFileName());
      }
      return new EngineSpec(
          engine,
          resolver == null ? engine : resolver,
          Optional.ofNullable(model),
          name,
          blockTokens,
          Optional.ofNullable(weights),
          settings);
    }
  }
}
