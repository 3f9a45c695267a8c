package io.kvasir.core.engine;

import io.kvasir.api.KvConnector;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.store.Store;

/** The contract over a connector with one flaw; run by {@link BrokenConnectorsTest}. */
class FlawedConnectorContract extends ConnectorContractTest {
  static volatile FlawedConnector.Flaw flaw = FlawedConnector.Flaw.NONE;

  @Override
  protected KvConnector connect(Store store, NamespaceManifest deployment) {
    return new FlawedConnector(super.connect(new LyingStore(store, flaw), deployment), flaw);
  }
}
