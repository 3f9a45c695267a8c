package io.kvasir.core.format;

import io.kvasir.api.format.Dtype;
import io.kvasir.api.format.FormatException;
import io.kvasir.api.format.KvFormat;
import io.kvasir.api.format.KvGroup;
import io.kvasir.api.format.ModelConfiguration;
import io.kvasir.api.identity.IdentityException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A model as published, read and normalised.
 *
 * @param config the normalised configuration
 * @param checkpoint what its files say of types
 * @param files the files
 */
record HfModel(NormalConfig config, Checkpoint checkpoint, ModelFiles files) {
  static HfModel read(ModelFiles files, Settings settings) {
    try {
      NormalConfig config = NormalConfig.of(files.place(), files.config(), settings);
      return new HfModel(config, new Checkpoint(config, files), files);
    } catch (IdentityException e) { // a number of an override that no JSON file may hold
      throw new FormatException(files.place() + e.getMessage(), e);
    }
  }

  /** {@return the format, checked} */
  KvFormat format(
      String engine, String layout, Dtype dtype, List<KvGroup> groups, Settings settings) {
    KvFormat format =
        KvFormat.of(
                configuration(),
                new KvFormat.Compute(checkpoint.weights(settings, dtype), dtype.wireName()),
                engine,
                layout,
                groups,
                settings.shards())
            .withNumerics(settings.text("numerics", "any"));
    FormatBounds.check(format);
    return format;
  }

  /**
   * The quantisation file decides types as much as the configuration does; its producer does not.
   */
  private ModelConfiguration configuration() {
    Map<String, Object> tree = new LinkedHashMap<>(config.tree());
    files
        .quantization()
        .ifPresent(
            q -> {
              Map<String, Object> rest = new LinkedHashMap<>(q);
              rest.remove("producer");
              tree.put("hf_quant_config.json", rest);
            });
    try {
      return ModelConfiguration.of(tree);
    } catch (IdentityException e) {
      throw new FormatException(files.place() + e.getMessage(), e);
    }
  }
}
