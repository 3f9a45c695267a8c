package io.kvasir.core;

import io.kvasir.api.EngineSpec;
import io.kvasir.api.KvConnector;
import io.kvasir.api.KvasirException;
import io.kvasir.api.format.FormatException;
import io.kvasir.api.format.FormatResolver;
import io.kvasir.api.format.KvFormat;
import io.kvasir.api.identity.Weights;
import io.kvasir.api.store.Store;
import io.kvasir.core.config.RecordBinder;
import io.kvasir.core.config.Settings;
import io.kvasir.core.connector.Connector;
import io.kvasir.core.connector.ConnectorSettings;
import io.kvasir.core.weights.WeightsConfig;
import io.kvasir.core.weights.WeightsNaming;
import java.util.Map;
import java.util.TreeMap;

/** Where a deployment's settings meet the parts of the core that they are for. */
final class Parts {
  /** The resolver whose declarations may stand in the configuration. */
  private static final String EXPLICIT = "explicit";

  /** Where that resolver finds them. */
  private static final String IN_SETTINGS = "settings.format";

  private Parts() {}

  static Weights weights(Settings settings, EngineSpec engine) {
    WeightsConfig config = new RecordBinder().bind(settings.weights(), WeightsConfig.class);
    return new WeightsNaming(config).name(engine);
  }

  /** {@return the format; an error in one that the configuration declares names its file} */
  static KvFormat resolve(FormatResolver resolver, Settings settings, EngineSpec engine) {
    EngineSpec declared = declared(settings, engine);
    try {
      return resolver.resolve(declared);
    } catch (FormatException e) {
      if (settings.format().isEmpty() || !e.getMessage().startsWith(IN_SETTINGS)) {
        throw e;
      }
      throw new FormatException(
          settings.file() + ": format" + e.getMessage().substring(IN_SETTINGS.length()), e);
    }
  }

  private static EngineSpec declared(Settings settings, EngineSpec engine) {
    if (settings.format().isEmpty()) {
      return engine;
    }
    if (!engine.resolver().equals(EXPLICIT)) {
      throw new KvasirException(
          "%s: format: counts for the resolver \"explicit\" only, and the engine asks for \"%s\";"
                  .formatted(settings.file(), engine.resolver())
              + " leave it out");
    }
    Map<String, Object> all = new TreeMap<>(engine.settings());
    if (all.put("format", settings.format()) != null) {
      throw new KvasirException(
          "%s: format: the engine declares a format, too; leave one out"
              .formatted(settings.file()));
    }
    return new EngineSpec(
        engine.engine(),
        engine.resolver(),
        engine.model(),
        engine.modelName(),
        engine.blockTokens(),
        engine.weights(),
        all);
  }

  static ConnectorSettings connector(Settings settings) {
    return new RecordBinder().bind(settings.connector(), ConnectorSettings.class);
  }

  static KvConnector connect(Deployment deployment, OpenStore<Store> store, Identified identified) {
    return deployment.located(
        () ->
            Connector.open(
                connector(deployment.settings()),
                store.store(),
                identified.deployment(),
                identified.policy().policy(),
                !identified.policy().readOnly()));
  }
}
