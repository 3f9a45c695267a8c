package io.kvasir.api.format;

import io.kvasir.api.identity.CanonicalJson;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collections;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * A model's normalised configuration: class defaults filled in, names in one spelling, cosmetic
 * names left out. A field that nobody understands is in it: it can separate, never join.
 *
 * <p>In a manifest stands the digest alone; the tree is kept beside the blocks to explain
 * differences.
 */
public final class ModelConfiguration {
  private final String digest;
  private final Map<String, Object> tree;

  private ModelConfiguration(String digest, Map<String, Object> tree) {
    this.digest = digest;
    this.tree = tree;
  }

  /**
   * {@return the configuration with these fields: a JSON tree as {@link CanonicalJson} takes it}
   */
  public static ModelConfiguration of(Map<String, Object> tree) {
    try {
      byte[] sha = MessageDigest.getInstance("SHA-256").digest(CanonicalJson.bytes(tree));
      return new ModelConfiguration(
          "sha256:" + HexFormat.of().formatHex(sha),
          Collections.unmodifiableMap(new LinkedHashMap<>(tree)));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every JDK has SHA-256", e);
    }
  }

  /** {@return a configuration of which only the digest is known, as a stored manifest gives it} */
  public static ModelConfiguration known(String digest) {
    return new ModelConfiguration(digest, null);
  }

  /** {@return {@code sha256:} and the digest of the canonical form} */
  public String digest() {
    return digest;
  }

  /** {@return the fields, if they are known} */
  public Optional<Map<String, Object>> tree() {
    return Optional.ofNullable(tree);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ModelConfiguration c && digest.equals(c.digest);
  }

  @Override
  public int hashCode() {
    return digest.hashCode();
  }

  @Override
  public String toString() {
    return digest;
  }
}
