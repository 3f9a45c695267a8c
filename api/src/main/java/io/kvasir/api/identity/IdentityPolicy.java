package io.kvasir.api.identity;

import java.util.Map;

/**
 * SPI: what the key of a block is, and what guards its value. Two halves: the hasher of a scope,
 * and the backend's key for a block.
 *
 * <p>A policy may add to the identity and can never take away: at start-up the core derives keys
 * for mutations of each single field of manifest and scope, and equal keys stop the start unless
 * the operator wrote {@code "unsafe": true}. Stateless and thread-safe.
 */
public interface IdentityPolicy {
  /** {@return the name by which a configuration asks for it} */
  String name();

  /**
   * {@return a policy with these settings: the object {@code identity} of the configuration without
   * {@code policy}, {@code unsafe} and {@code writable}}
   *
   * @throws io.kvasir.api.KvasirException if a setting is unknown, missing or wrong
   */
  IdentityPolicy configured(Map<String, Object> settings);

  /**
   * {@return the namespace that the blocks of a deployment are kept in}
   *
   * <p>The deployment's own, or {@linkplain NamespaceManifest#reduced a reduced one} that other
   * deployments share, which is unsafe.
   */
  default NamespaceManifest namespace(NamespaceManifest deployment) {
    return deployment;
  }

  /** {@return the hasher of a scope within a namespace that this policy returned} */
  BlockHasher hasher(NamespaceManifest namespace, RequestScope scope);

  /** {@return the key of a block in a store that takes strings} */
  String key(BlockKeys keys, int block);

  /** {@return what guards a value} */
  default Guard guard() {
    return Guard.CRC32C;
  }

  /** What guards a value against being another's. */
  enum Guard {
    /** Key, length and CRC-32C stand with the value. */
    CRC32C,
    /** The length alone. */
    SIZE
  }
}
