package io.kvasir.core;

import static java.lang.System.Logger.Level.INFO;
import static java.lang.System.Logger.Level.WARNING;

import io.kvasir.api.EngineSpec;
import io.kvasir.api.KvConnector;
import io.kvasir.api.Kvasir;
import io.kvasir.api.KvasirException;
import io.kvasir.api.PluginStatus;
import io.kvasir.api.store.Store;
import io.kvasir.api.store.StoreException;
import io.kvasir.core.identity.Explain;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A deployment with its connectors: what {@link Kvasir#open} gives an engine. */
final class KvasirRuntime implements Kvasir {
  private static final System.Logger LOG = System.getLogger(KvasirRuntime.class.getName());

  /** Gives the connector of an engine over an open store. */
  @FunctionalInterface
  interface Connecting {
    KvConnector connect(Deployment deployment, OpenStore<Store> store, Identified identified);
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
    OpenStore<Store> store = deployment.store();
    Identified identified = deployment.identify(engine);
    deployment.checkSupported(store.descriptor(), identified.policy().policy().name());
    identified.policy().warning().ifPresent(warning -> LOG.log(WARNING, warning));
    sayIfNew(store, identified);
    KvConnector connector = connecting.connect(deployment, store, identified);
    connectors.add(connector);
    return connector;
  }

  /** What an operator needs when the hit rate is 0: a changed field makes a new namespace. */
  private static void sayIfNew(OpenStore<Store> store, Identified identified) {
    if (!store.descriptor().capabilities().enumerate()) {
      return;
    }
    try {
      Explain.notice(identified.namespace(), store.store().namespaces())
          .ifPresent(notice -> LOG.log(INFO, notice));
    } catch (StoreException | RuntimeException e) {
      LOG.log(WARNING, () -> "the store's namespaces cannot be listed: " + e);
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
