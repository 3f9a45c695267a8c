package io.kvasir.examples.redis;

import io.kvasir.api.store.GatedStore;
import io.kvasir.api.store.Setting;
import io.kvasir.api.store.Store;
import io.kvasir.api.store.StoreContext;
import io.kvasir.api.store.StoreDescriptor;
import io.kvasir.api.store.StoreException;
import io.kvasir.api.store.StoreProvider;

/** The backend {@code redis}. Redis itself limits and evicts, by its {@code maxmemory}. */
public final class RedisProvider implements StoreProvider {
  /**
   * Where the blocks are.
   *
   * @param address host and port
   * @param prefix how each key of this store begins
   */
  public record Config(
      @Setting(value = "Host and port of the server.", byDefault = "localhost:6379") String address,
      @Setting(value = "How each key begins.", byDefault = "kvasir") String prefix) {}

  /** Touches nothing. */
  public RedisProvider() {}

  @Override
  public StoreDescriptor descriptor() {
    return StoreDescriptor.named("redis")
        .config(Config.class)
        .persistent()
        .scopedDelete()
        .checksum()
        .build();
  }

  @Override
  public Store open(StoreContext context) throws StoreException {
    Config config = context.configuration(Config.class);
    return new GatedStore(new RedisStore(Connections.to(config.address()), config.prefix() + ":"));
  }
}
