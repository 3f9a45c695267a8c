package io.kvasir.plugin.mooncake;

import io.kvasir.api.store.Store;
import io.kvasir.api.store.StoreContext;
import io.kvasir.api.store.StoreDescriptor;
import io.kvasir.api.store.StoreException;
import io.kvasir.api.store.StoreProvider;

/** Names the store {@code mooncake}, and says that this version cannot open it. */
public final class MooncakeProvider implements StoreProvider {
  /** Creates the provider; touches nothing. */
  public MooncakeProvider() {}

  @Override
  public StoreDescriptor descriptor() {
    return StoreDescriptor.named("mooncake").build();
  }

  @Override
  public Store open(StoreContext context) throws StoreException {
    throw new StoreException(
        StoreException.Kind.CONFIGURATION,
        "store.mooncake: not available in this version of Kvasir, which has no binding of"
            + " libmooncake_store.so yet; use the store \"local\", or leave the cache out");
  }
}
