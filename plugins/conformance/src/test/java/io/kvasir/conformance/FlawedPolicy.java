package io.kvasir.conformance;

import io.kvasir.api.KvasirException;
import io.kvasir.api.identity.BlockHasher;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.identity.ChainHasher;
import io.kvasir.api.identity.IdentityPolicy;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.identity.RequestScope;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A policy with one flaw.
 *
 * @param flaw how it is broken
 * @param seed of an instance, for the flaw that hashes with one
 */
record FlawedPolicy(Flaw flaw, int seed) implements IdentityPolicy {
  private static final AtomicInteger INSTANCES = new AtomicInteger();

  /** How it is broken, and the rule that must notice. */
  enum Flaw {
    NONE(""),
    FORGETS_ALL_BUT_THE_TENANT("R-POL-1"),
    LOSES_THE_SCOPE("R-POL-2"),
    HASHES_EACH_BLOCK_ALONE("R-POL-3"),
    FORGETS_THE_SHARD("R-POL-4"),
    HASHES_WITH_A_SEED_OF_ITS_OWN("R-POL-5"),
    PUTS_NAMES_INTO_KEYS("R-POL-6"),
    IGNORES_SETTINGS("R-POL-7"),
    SHARES_A_STRICT_NAMESPACE("R-POL-8"),
    HAS_A_NAME_WITH_BLANKS("R-POL-9");

    final String rule;

    Flaw(String rule) {
      this.rule = rule;
    }
  }

  FlawedPolicy(Flaw flaw) {
    this(flaw, INSTANCES.incrementAndGet());
  }

  @Override
  public String name() {
    return flaw == Flaw.HAS_A_NAME_WITH_BLANKS ? "Strict Policy" : "strict";
  }

  @Override
  public IdentityPolicy configured(Map<String, Object> settings) {
    if (!settings.isEmpty() && flaw != Flaw.IGNORES_SETTINGS) {
      throw new KvasirException("unknown: " + settings.keySet());
    }
    return this;
  }

  @Override
  public NamespaceManifest namespace(NamespaceManifest deployment) {
    return flaw == Flaw.SHARES_A_STRICT_NAMESPACE
        ? NamespaceManifest.of("everybody", deployment.weights(), deployment.format())
        : deployment;
  }

  @Override
  public BlockHasher hasher(NamespaceManifest namespace, RequestScope scope) {
    NamespaceManifest hashed =
        flaw == Flaw.FORGETS_ALL_BUT_THE_TENANT
            ? Manifests.of(namespace.tenant(), 4096)
            : namespace;
    ChainHasher hasher =
        new ChainHasher(hashed.id(), flaw == Flaw.LOSES_THE_SCOPE ? RequestScope.NONE : scope);
    return switch (flaw) {
      case HASHES_EACH_BLOCK_ALONE ->
          (parent, tokens, from, blockTokens, items) ->
              hasher.hash(null, tokens, from, blockTokens, items);
      case HASHES_WITH_A_SEED_OF_ITS_OWN ->
          (parent, tokens, from, blockTokens, items) -> {
            byte[] hash = hasher.hash(parent, tokens, from, blockTokens, items);
            hash[0] ^= (byte) seed;
            return hash;
          };
      default -> hasher;
    };
  }

  @Override
  public String key(BlockKeys keys, int block) {
    return switch (flaw) {
      case FORGETS_ALL_BUT_THE_TENANT -> HexFormat.of().formatHex(keys.hash(block));
      case FORGETS_THE_SHARD -> keys.flatKey(block).replaceFirst(":s[0-9]+:", ":");
      case PUTS_NAMES_INTO_KEYS -> keys.namespace().tenant() + ":" + keys.flatKey(block);
      default -> keys.flatKey(block);
    };
  }
}
