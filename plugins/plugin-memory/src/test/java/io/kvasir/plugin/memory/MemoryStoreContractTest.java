package io.kvasir.plugin.memory;

import io.kvasir.api.ByteSize;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.store.Store;
import io.kvasir.api.store.StoreProvider;
import io.kvasir.conformance.StoreContract;
import java.nio.file.Path;
import java.util.Optional;

class MemoryStoreContractTest extends StoreContract {
  @Override
  protected StoreProvider provider() {
    return new MemoryStoreProvider();
  }

  @Override
  protected Record configuration(Path directory, ByteSize capacity) {
    return MemoryConfiguration.of(capacity);
  }

  @Override
  protected boolean damageBlock(Store store, BlockKeys keys, int block) {
    byte[] stored = ((MemoryStore) store).index.storedBytes(Block.Key.of(keys, block));
    stored[block % 3 * (stored.length - 1) / 2] ^= 1;
    return true;
  }

  @Override
  protected boolean damageManifest(Store store, NamespaceManifest manifest) {
    ((MemoryStore) store).storedManifest(manifest.id())[7] ^= 1;
    return true;
  }

  @Override
  protected Optional<Record> failingConfiguration(Path directory) {
    return Optional.of(MemoryConfiguration.of(capacity()).failingEvery(1));
  }

  @Override
  protected Optional<Record> hangingConfiguration(Path directory) {
    return Optional.of(MemoryConfiguration.of(capacity()).hangingFrom(1, false));
  }
}
