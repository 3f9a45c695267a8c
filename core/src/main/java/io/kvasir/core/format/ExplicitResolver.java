package io.kvasir.core.format;

import io.kvasir.api.EngineSpec;
import io.kvasir.api.KvasirException;
import io.kvasir.api.format.FormatException;
import io.kvasir.api.format.FormatResolver;
import io.kvasir.api.format.KvFormat;
import io.kvasir.api.format.KvGroup;
import io.kvasir.api.format.ModelConfiguration;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.identity.Weights;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Takes a format that is declared as a whole, in the setting {@code format}: an object with exactly
 * the names of the manifest, nothing left out and nothing beside them.
 *
 * <p>{@code config} is the model's configuration as an object, or the digest of one; {@code
 * compute}, {@code engine}, {@code layout}, {@code byte_order}, {@code hashing}, {@code numerics},
 * {@code groups}, {@code shards} and {@code extensions} are as in the manifest. It is for models
 * and engines that no other resolver understands: whoever declares a format vouches for it.
 */
public final class ExplicitResolver implements FormatResolver {
  private static final List<String> REPRESENTATION =
      List.of(
          "engine",
          "layout",
          "byte_order",
          "hashing",
          "numerics",
          "groups",
          "shards",
          "extensions");

  /** Creates the resolver. */
  public ExplicitResolver() {}

  @Override
  public String name() {
    return "explicit";
  }

  @Override
  public KvFormat resolve(EngineSpec spec) {
    Fields settings = new Settings(spec, name());
    if (settings.isNull("format")) {
      throw settings.error(
          "format",
          "missing; the resolver \"explicit\" takes the whole format from it: config, compute, "
              + String.join(", ", REPRESENTATION));
    }
    Fields declared = settings.object("format");
    KvFormat format;
    try {
      format = read(declared);
      FormatBounds.check(format);
    } catch (FormatException e) {
      throw new FormatException(declared.at(e.getMessage()), e);
    } catch (KvasirException e) {
      throw new FormatException(
          declared.at(e.getMessage().replaceFirst("^(representation|semantic)\\.", "")), e);
    }
    for (KvGroup group : format.groups()) {
      if (group.blockTokens() != spec.blockTokens()) {
        throw settings.error(
            "format.groups[%d].block_tokens".formatted(group.id()),
            "%d, but the engine's blocks have %d tokens"
                .formatted(group.blockTokens(), spec.blockTokens()));
      }
    }
    return format;
  }

  /** The manifest's own reader is the one that knows each name and refuses every other. */
  private static KvFormat read(Fields declared) {
    Map<String, Object> representation = new LinkedHashMap<>(declared.json());
    Map<String, Object> semantic = new LinkedHashMap<>();
    ModelConfiguration config = null;
    if (declared.get("config") instanceof Map<?, ?> tree) {
      config = ModelConfiguration.of(Tables.object(tree));
      semantic.put("config", config.digest());
    } else if (declared.has("config")) {
      semantic.put("config", declared.get("config"));
    }
    semantic.put("weights", Weights.unknown().json());
    if (declared.has("compute")) {
      semantic.put("compute", declared.get("compute"));
    }
    representation.keySet().removeAll(List.of("config", "compute"));
    KvFormat format =
        NamespaceManifest.of(
                Map.of(
                    "schema",
                    NamespaceManifest.SCHEMA,
                    "tenant",
                    "declared",
                    "semantic",
                    semantic,
                    "representation",
                    representation))
            .format();
    return config == null ? format : withConfig(format, config);
  }

  private static KvFormat withConfig(KvFormat f, ModelConfiguration config) {
    return new KvFormat(
        config,
        f.compute(),
        f.engine(),
        f.layout(),
        f.byteOrder(),
        f.hashing(),
        f.numerics(),
        f.groups(),
        f.shards(),
        f.extensions());
  }
}
