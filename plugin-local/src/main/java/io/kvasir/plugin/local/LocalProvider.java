package io.kvasir.plugin.local;

import io.kvasir.api.store.Store;
import io.kvasir.api.store.StoreContext;
import io.kvasir.api.store.StoreDescriptor;
import io.kvasir.api.store.StoreException;
import io.kvasir.api.store.StoreProvider;
import io.kvasir.api.store.StoreView;
import java.io.IOException;

/** The entry of the store {@code local}. */
public final class LocalProvider implements StoreProvider {
  @Override
  public StoreDescriptor descriptor() {
    return StoreDescriptor.named("local")
        .config(LocalConfig.class)
        .persistent()
        .leases()
        .scopedDelete()
        .enumerate()
        .checksum()
        .usage()
        .deviceMemory()
        .build();
  }

  @Override
  public Store open(StoreContext context) throws StoreException {
    LocalConfig config = context.configuration(LocalConfig.class);
    try {
      return Opening.open(config, context::allocate, context.logger(), context.closeTimeout())
          .reachDevices();
    } catch (IOException e) {
      throw Failures.of(e, "store directory " + config.directory());
    }
  }

  /** Its counts lag behind a process that has the store open and writes. */
  @Override
  public StoreView inspect(StoreContext context) throws StoreException {
    LocalConfig config = context.configuration(LocalConfig.class);
    try {
      return LocalView.of(config);
    } catch (IOException e) {
      throw Failures.of(e, "store directory " + config.directory());
    }
  }
}
