package io.kvasir.examples.shelf;

import io.kvasir.api.ByteSize;
import io.kvasir.api.store.StoreProvider;
import io.kvasir.conformance.StoreContract;
import java.nio.file.Path;

class ShelfContractTest extends StoreContract {
  @Override
  protected StoreProvider provider() {
    return new Shelf();
  }

  @Override
  protected Record configuration(Path directory, ByteSize capacity) {
    return new Shelf.Config(directory);
  }
}
