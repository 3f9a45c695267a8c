package io.kvasir.core.engine;

import io.kvasir.api.ByteSize;
import io.kvasir.api.KvConnector;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.store.Store;
import io.kvasir.api.store.StoreException;
import io.kvasir.conformance.ConnectorContract;
import io.kvasir.conformance.TestContext;
import io.kvasir.core.connector.Connector;
import io.kvasir.core.connector.ConnectorSettings;
import io.kvasir.core.identity.StrictPolicy;
import io.kvasir.plugin.memory.MemoryConfiguration;
import io.kvasir.plugin.memory.MemoryStoreProvider;
import java.time.Duration;

class ConnectorContractTest extends ConnectorContract {
  @Override
  protected Store store() throws StoreException {
    MemoryConfiguration room = MemoryConfiguration.of(new ByteSize(256 << 10));
    return new MemoryStoreProvider().open(new TestContext(room));
  }

  @Override
  protected KvConnector connect(Store store, NamespaceManifest deployment) {
    ConnectorSettings settings =
        new ConnectorSettings(
            Duration.ofSeconds(2),
            Duration.ofSeconds(2),
            Duration.ofSeconds(60),
            Duration.ofSeconds(2),
            Duration.ofSeconds(5),
            Duration.ofSeconds(5),
            2,
            2,
            8,
            4,
            new ByteSize(64 << 10),
            new ByteSize(64 << 10),
            8,
            Duration.ofMillis(5),
            Duration.ofMillis(5),
            Duration.ofMinutes(10));
    return Connector.open(settings, store, deployment, new StrictPolicy(), true);
  }
}
