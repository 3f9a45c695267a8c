package io.kvasir.plugin.memory;

import io.kvasir.api.store.Store;
import io.kvasir.api.store.StoreContext;
import io.kvasir.api.store.StoreDescriptor;
import io.kvasir.api.store.StoreException;
import io.kvasir.api.store.StoreException.Kind;
import io.kvasir.api.store.StoreProvider;

/** The backend {@code memory}. Two opened stores share nothing. */
public final class MemoryStoreProvider implements StoreProvider {
  /** Touches nothing. */
  public MemoryStoreProvider() {}

  @Override
  public StoreDescriptor descriptor() {
    return StoreDescriptor.named("memory")
        .config(MemoryConfiguration.class)
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
    MemoryConfiguration configuration = context.configuration(MemoryConfiguration.class);
    if (configuration.latency().isNegative()) {
      throw new StoreException(
          Kind.CONFIGURATION,
          "latency: %s is negative; write 0ms for none".formatted(configuration.latency()));
    }
    atLeastZero("failEvery", configuration.failEvery());
    atLeastZero("blackHoleAfter", configuration.blackHoleAfter());
    atLeastZero("shortRead", configuration.shortRead());
    atLeastZero("flippedBit", configuration.flippedBit());
    return new MemoryStore(configuration, context.closeTimeout(), context.logger());
  }

  private static void atLeastZero(String key, int value) throws StoreException {
    if (value < 0) {
      throw new StoreException(
          Kind.CONFIGURATION, "%s: %d is negative; write 0 for never".formatted(key, value));
    }
  }
}
