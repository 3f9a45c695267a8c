package io.kvasir.core;

import static java.lang.System.Logger.Level.INFO;
import static java.lang.System.Logger.Level.WARNING;

import io.kvasir.api.EngineSpec;
import io.kvasir.api.KvConnector;
import io.kvasir.api.Kvasir;
import io.kvasir.api.KvasirException;
import io.kvasir.api.PluginStatus;
import io.kvasir.api.store.NamespaceSummary;
import io.kvasir.api.store.StoreException;
import io.kvasir.core.identity.StoredManifest;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A deployment with its connectors: what {@link Kvasir#open} gives an engine. */
final class KvasirRuntime implements Kvasir {
  private static final System.Logger LOG = System.getLogger(KvasirRuntime.class.getName());

  /** Gives the connector of an engine over an open store. */
  @FunctionalInterface
  interface Connecting {
    KvConnector connect(Deployment deployment, OpenStore store, Identified identified);
  }

  private final Deployment deployment;
  private final Connecting connecting;
  private final List<KvConnector> connectors = new ArrayList<>();
  private boolean closed;

  private KvasirRuntime(Deployment deployment, Connecting connecting) {
    this.deployment = deployment;
    this.connecting = connecting;
  }

  static KvasirRuntime open(Path configuration, Connecting connecting) {
    Deployment deployment = Deployment.of(configuration);
    try {
      deployment.settings().owner();
      deployment.store();
      return new KvasirRuntime(deployment, connecting);
    } catch (RuntimeException | Error e) {
      deployment.close();
      throw e;
    }
  }

  @Override
  public synchronized KvConnector connect(EngineSpec engine) {
    if (closed) {
      throw new KvasirException("this Kvasir is closed");
    }
    OpenStore store = deployment.store();
    Identified identified = deployment.identify(engine);
    String policy = identified.policy().policy().name();
    if (!store.descriptor().policies().contains(policy)) {
      throw new KvasirException(
          "%s: identity.policy: the store \"%s\" does not support \"%s\"; it supports %s"
              .formatted(
                  deployment.settings().file(),
                  store.descriptor().name(),
                  policy,
                  String.join(", ", store.descriptor().policies())));
    }
    identified.policy().warning().ifPresent(warning -> LOG.log(WARNING, warning));
    sayIfNew(store, identified);
    KvConnector connector = connecting.connect(deployment, store, identified);
    connectors.add(connector);
    return connector;
  }

  /** What an operator needs when the hit rate is 0: a changed field makes a new namespace. */
  private static void sayIfNew(OpenStore store, Identified identified) {
    if (!store.descriptor().capabilities().enumerate()) {
      return;
    }
    try {
      List<NamespaceSummary> present = store.store().namespaces();
      var id = identified.namespace().id();
      if (present.stream().anyMatch(n -> n.id().equals(id))) {
        return;
      }
      String tenant = identified.deployment().tenant();
      long others = present.stream().filter(n -> tenant.equals(tenant(n))).count();
      if (others > 0) {
        LOG.log(
            INFO,
            () ->
                "namespace %s is new, and the store holds %d more of tenant %s; bin/kvasir identity"
                        .formatted(id.prefix(), others, tenant)
                    + " explain --nearest shows what separates it from the closest");
      }
    } catch (StoreException | RuntimeException e) {
      LOG.log(WARNING, () -> "the store's namespaces cannot be listed: " + e);
    }
  }

  private static Object tenant(NamespaceSummary namespace) {
    try {
      return StoredManifest.verify(namespace.id(), namespace.manifest()).json().get("tenant");
    } catch (KvasirException e) {
      return null; // opening that namespace says what is wrong with it
    }
  }

  @Override
  public List<PluginStatus> plugins() {
    return deployment.plugins();
  }

  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    for (KvConnector connector : connectors.reversed()) {
      try {
        connector.close();
      } catch (RuntimeException e) {
        LOG.log(WARNING, () -> "a connector did not close as it should: " + e, e);
      }
    }
    deployment.close();
  }
}
