package io.kvasir.plugin.local;

import io.kvasir.api.ByteSize;
import io.kvasir.api.store.DeviceMemory;
import io.kvasir.api.store.StoreProvider;
import io.kvasir.conformance.StoreContract;
import java.nio.file.Path;

class LocalContractTest extends StoreContract {
  @Override
  protected StoreProvider provider() {
    return new LocalProvider();
  }

  @Override
  protected Record configuration(Path directory, ByteSize capacity) {
    return new LocalConfig(
        directory,
        capacity,
        Durability.BATCH,
        new ByteSize(0),
        0,
        new ByteSize(1 << 20),
        Admission.ALL,
        new ByteSize(8 << 20),
        DeviceMemory.Way.AUTO);
  }
}
