package io.kvasir.core;

import io.kvasir.api.EngineSpec;
import io.kvasir.api.KvasirException;
import io.kvasir.api.identity.IdentityPolicy;
import io.kvasir.api.identity.Weights;
import io.kvasir.core.config.RecordBinder;
import io.kvasir.core.config.Settings;
import io.kvasir.core.connector.Connector;
import io.kvasir.core.identity.PolicyChoice;
import io.kvasir.core.weights.WeightsConfig;
import io.kvasir.core.weights.WeightsNaming;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Connecting an engine, as far as it goes without opening the store: what is wrong is said in the
 * words of {@link io.kvasir.api.Kvasir#connect}. For {@code kvasir doctor}.
 */
public final class Rehearsal {
  private final Deployment deployment;

  /** Creates a rehearsal of what a configuration describes. */
  public Rehearsal(Deployment deployment) {
    this.deployment = deployment;
  }

  /**
   * {@return the identity of an engine's blocks}
   *
   * @throws KvasirException as connecting would, or because the store could keep none of the blocks
   */
  public Identified connect(EngineSpec engine) {
    Settings settings = deployment.settings();
    Identified identified = deployment.identify(engine);
    deployment.checkSupported(deployment.descriptor(), identified.policy().policy().name());
    deployment.located(
        () -> {
          Connector.check(Parts.connector(settings), identified.deployment());
          return null;
        });
    Optional<String> refusal = deployment.view().store().refusal(identified.deployment());
    if (refusal.isPresent()) {
      throw settings.store().configuration().error(refusal.get());
    }
    return identified;
  }

  /**
   * {@return the name of the policy, with its settings and not probed}
   *
   * @throws KvasirException if there is no such policy, a setting is wrong, or the store does not
   *     support it
   */
  public String policy() {
    IdentityPolicy policy =
        deployment.located(
            () -> PolicyChoice.named(deployment.settings().identity(), deployment.policies()));
    deployment.checkSupported(deployment.descriptor(), policy.name());
    return policy.name();
  }

  /**
   * {@return the weights, where the configuration names them by itself; the model's name may still
   * be the engine's to give}
   *
   * @throws KvasirException if they could mean other weights tomorrow, or a setting is wrong
   */
  public Optional<Weights> weights() {
    WeightsConfig config =
        new RecordBinder().bind(deployment.settings().weights(), WeightsConfig.class);
    boolean named =
        config.by() == WeightsConfig.By.NAME
            || (config.by() == WeightsConfig.By.COMMIT && config.commit().isPresent());
    return named
        ? Optional.of(
            deployment.located(() -> new WeightsNaming(config).name(spec("engine", 1).build())))
        : Optional.empty();
  }

  /**
   * {@return an engine of the format that the configuration declares, if it does; where the
   * configuration does not name the weights, they stand for any}
   */
  public Optional<EngineSpec> declared() {
    Map<String, Object> format = deployment.settings().format();
    if (format.isEmpty()) {
      return Optional.empty();
    }
    String engine = format.get("engine") instanceof String name ? name : "engine";
    int tokens =
        format.get("groups") instanceof List<?> groups
                && !groups.isEmpty()
                && groups.getFirst() instanceof Map<?, ?> group
                && group.get("block_tokens") instanceof Number n
            ? Math.max(1, n.intValue())
            : 1;
    return Optional.of(spec(engine, tokens).weights(weights().orElseGet(Weights::unknown)).build());
  }

  private static EngineSpec.Builder spec(String engine, int tokens) {
    return EngineSpec.builder()
        .engine(engine)
        .resolver("explicit")
        .modelName("model")
        .blockTokens(tokens);
  }
}
