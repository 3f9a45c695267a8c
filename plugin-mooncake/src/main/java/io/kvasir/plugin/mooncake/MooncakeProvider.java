package io.kvasir.plugin.mooncake;

import io.kvasir.api.store.GatedStore;
import io.kvasir.api.store.Store;
import io.kvasir.api.store.StoreContext;
import io.kvasir.api.store.StoreDescriptor;
import io.kvasir.api.store.StoreException;
import io.kvasir.api.store.StoreProvider;
import io.kvasir.api.store.StoreView;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;

/** The entry of the store {@code mooncake}. */
public final class MooncakeProvider implements StoreProvider {
  private final Map<String, String> environment;

  /** Creates the provider; touches nothing. */
  public MooncakeProvider() {
    this(System.getenv());
  }

  MooncakeProvider(Map<String, String> environment) {
    this.environment = environment;
  }

  /**
   * {@inheritDoc}
   *
   * <p>Mooncake's C library lists no keys and counts no bytes: neither {@code enumerate} nor {@code
   * usage} is claimed. What the master says of the whole cluster stands in the metrics.
   */
  @Override
  public StoreDescriptor descriptor() {
    return StoreDescriptor.named("mooncake")
        .config(MooncakeConfig.class)
        .persistent()
        .leases()
        .scopedDelete()
        .checksum()
        .deviceMemory()
        .build();
  }

  @Override
  public Store open(StoreContext context) throws StoreException {
    MooncakeConfig config = context.configuration(MooncakeConfig.class);
    check(config);
    return new GatedStore(
        open(context, config, ClientSettings.of(config, environment)).reachDevices(config.cuda()));
  }

  /** As a client that adds nothing to the cluster. */
  @Override
  public StoreView inspect(StoreContext context) throws StoreException {
    MooncakeConfig config = context.configuration(MooncakeConfig.class);
    check(config);
    return new GatedStore(
        open(context, config, ClientSettings.of(config, environment).withoutSegment()));
  }

  private MooncakeStore open(StoreContext context, MooncakeConfig config, ClientSettings client)
      throws StoreException {
    Abi abi =
        StoreLibrary.load(
            config.library(),
            environment,
            Map.of(
                "MC_RPC_TIMEOUT_MS", Long.toString(config.rpcTimeout().toMillis()),
                "MC_STORE_CLIENT_SETUP_RETRIES", Integer.toString(config.setupRetries()),
                "MC_LOG_LEVEL", config.logLevel().name().toUpperCase(Locale.ROOT)));
    return MooncakeStore.open(abi, config, client, context.logger(), context.closeTimeout());
  }

  private static void check(MooncakeConfig config) throws StoreException {
    atLeast("replicas", config.replicas(), 1);
    atLeast("breaker-failures", config.breakerFailures(), 1);
    atLeast("abandoned-calls", config.abandonedCalls(), 2);
    atLeast("setup-retries", config.setupRetries(), 1);
    positive("lease-renewal", config.leaseRenewal());
    positive("rpc-timeout", config.rpcTimeout());
    if (config.preferredSegments().stream().anyMatch(String::isBlank)) {
      throw wrong("preferred-segments: \"\" names no segment; leave it out");
    }
    try {
      config.masterHttp().ifPresent(MasterPage::new);
    } catch (IllegalArgumentException e) {
      throw wrong(e.getMessage());
    }
  }

  private static void atLeast(String key, int value, int least) throws StoreException {
    if (value < least) {
      throw wrong("%s: %d is less than %d".formatted(key, value, least));
    }
  }

  private static void positive(String key, Duration value) throws StoreException {
    if (value.toMillis() < 1) {
      throw wrong("%s: %d ms is no time; write one such as 3s".formatted(key, value.toMillis()));
    }
  }

  private static StoreException wrong(String message) {
    return new StoreException(StoreException.Kind.CONFIGURATION, message);
  }
}
