package io.kvasir.core.weights;

import io.kvasir.api.EngineSpec;
import io.kvasir.api.KvasirException;
import io.kvasir.api.identity.Weights;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Names the weights of a deployment. What an engine says in {@link EngineSpec#weights()} wins;
 * otherwise the configuration decides, and the default is the digest of all bytes of all weight
 * files ({@link WeightFiles} says which these are). Nothing is ever named when nobody knows: that
 * ends the start.
 */
public final class WeightsNaming {
  private static final System.Logger LOG = System.getLogger(WeightsNaming.class.getPackageName());

  private final WeightsConfig config;

  /** Creates the naming that a configuration asks for. */
  public WeightsNaming(WeightsConfig config) {
    this.config = config;
  }

  /**
   * {@return the state of the weights that an engine begins with}
   *
   * <p>By content this reads each file once: digests are kept in the cache directory until a file
   * changes. Call it before the engine serves, and once for all ranks.
   *
   * @throws KvasirException if nothing says which weights these are, if the name can mean other
   *     weights tomorrow, or if a file cannot be read or changes meanwhile
   */
  public Weights name(EngineSpec spec) {
    if (spec.weights().isPresent()) {
      return spec.weights().get();
    }
    return switch (config.by()) {
      case CONTENT -> content(spec);
      case COMMIT -> commit(spec);
      case NAME -> Weights.named(model(spec, Optional.empty()), config.name().orElseThrow());
    };
  }

  private Weights content(EngineSpec spec) {
    Path model =
        spec.model()
            .orElseThrow(
                () ->
                    new KvasirException(
                        "weights: named by content, but the engine gives no model directory; give"
                            + " EngineSpec.model, EngineSpec.weights, or configure weights by"
                            + " \"commit\" or \"name\""));
    try {
      List<WeightFiles.File> files = WeightFiles.of(model);
      if (config.sampled()) {
        LOG.log(
            Level.WARNING,
            "weights of {0}: only samples are read; weights that differ elsewhere share blocks."
                + " Leave out weights.sampled to name them by all bytes",
            model);
        return Weights.content(FileHashes.sampled(files));
      }
      return Weights.content(new FileHashes(sidecar(model)).content(files));
    } catch (IOException | UncheckedIOException e) {
      throw new KvasirException("weights of %s: cannot be read: %s".formatted(model, e), e);
    }
  }

  private Sidecar sidecar(Path model) throws IOException {
    return Sidecar.of(
        config.cacheDirectory().orElseGet(WeightsNaming::userCache), model.toRealPath());
  }

  private static Path userCache() {
    String xdg = System.getenv("XDG_CACHE_HOME");
    Path base =
        xdg == null || xdg.isBlank()
            ? Path.of(System.getProperty("user.home"), ".cache")
            : Path.of(xdg);
    return base.resolve("kvasir").resolve("weights");
  }

  private Weights commit(EngineSpec spec) {
    Optional<Snapshot> snapshot = spec.model().flatMap(Snapshot::at);
    Optional<String> found = snapshot.map(Snapshot::commit);
    if (config.commit().isPresent()
        && found.isPresent()
        && !found.get().equals(config.commit().get())) {
      throw new KvasirException(
          "weights.commit: \"%s\", but the model directory is a snapshot of %s; give the commit"
                  .formatted(config.commit().get(), found.get())
              + " of the weights that are loaded, or leave it out");
    }
    String commit =
        config
            .commit()
            .or(() -> found)
            .orElseThrow(
                () ->
                    new KvasirException(
                        "weights.commit: missing, and the model directory is no snapshot of a"
                            + " Hugging Face cache; write the commit's 40 hexadecimal digits, or"
                            + " name the weights by \"content\""));
    return Weights.commit(model(spec, snapshot.map(Snapshot::model)), commit);
  }

  /** A name that comes from a directory alone is no model: the same weights move about. */
  private String model(EngineSpec spec, Optional<String> ofSnapshot) {
    Optional<String> ofEngine =
        Optional.of(spec.modelName())
            .filter(name -> !name.isBlank() && !name.equals(directoryName(spec)));
    return config
        .model()
        .or(() -> ofSnapshot)
        .or(() -> ofEngine)
        .orElseThrow(
            () ->
                new KvasirException(
                    "weights.model: missing, and a directory's name is none; write the model's"
                        + " name, such as \"Qwen/Qwen3-8B\", or give EngineSpec.modelName"));
  }

  private static String directoryName(EngineSpec spec) {
    return spec.model()
        .map(m -> String.valueOf(m.toAbsolutePath().normalize().getFileName()))
        .orElse("");
  }

  /** A snapshot directory of a Hugging Face cache. */
  record Snapshot(String model, String commit) {
    /** {@return the snapshot that a path leads to, if it is one} */
    static Optional<Snapshot> at(Path directory) {
      Path real;
      try {
        real = directory.toRealPath();
      } catch (IOException e) {
        return Optional.empty();
      }
      Path repository = real.getParent() == null ? null : real.getParent().getParent();
      if (repository == null
          || repository.getFileName() == null
          || !real.getParent().endsWith("snapshots")
          || !repository.getFileName().toString().startsWith("models--")
          || !real.getFileName().toString().matches("[0-9a-f]{40}")
          || !Files.isDirectory(real)) {
        return Optional.empty();
      }
      String name = repository.getFileName().toString().substring("models--".length());
      return Optional.of(new Snapshot(name.replace("--", "/"), real.getFileName().toString()));
    }
  }
}
