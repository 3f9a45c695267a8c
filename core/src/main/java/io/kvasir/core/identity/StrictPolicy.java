package io.kvasir.core.identity;

import io.kvasir.api.identity.BlockHasher;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.identity.ChainHasher;
import io.kvasir.api.identity.IdentityPolicy;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.identity.RequestScope;
import java.util.Map;
import java.util.Set;

/** {@code strict}, the default: everything that decides what a block's bytes mean is in its key. */
public final class StrictPolicy implements IdentityPolicy {
  /** Creates the policy; it has no settings. */
  public StrictPolicy() {}

  @Override
  public String name() {
    return "strict";
  }

  @Override
  public IdentityPolicy configured(Map<String, Object> settings) {
    PolicySettings.of(this, settings, Set.of());
    return this;
  }

  @Override
  public BlockHasher hasher(NamespaceManifest namespace, RequestScope scope) {
    return new ChainHasher(namespace.id(), scope);
  }

  @Override
  public String key(BlockKeys keys, int block) {
    return keys.flatKey(block);
  }
}
