package io.kvasir.core.identity;

import io.kvasir.api.KvasirException;
import io.kvasir.api.identity.CanonicalJson;
import io.kvasir.api.identity.IdentityException;
import io.kvasir.api.identity.NamespaceId;
import io.kvasir.api.identity.NamespaceManifest;
import java.util.Arrays;
import java.util.Map;

/**
 * A manifest as a store kept it, verified on the stored bytes and never re-serialised.
 *
 * @param id the namespace, which is the SHA-256 of the bytes
 * @param json the tree
 */
public record StoredManifest(NamespaceId id, Map<String, Object> json) {
  /**
   * {@return the manifest in these bytes}
   *
   * @throws IdentityException if they are not the canonical JSON that hashes to the id
   */
  public static StoredManifest verify(NamespaceId id, byte[] bytes) {
    String source = "manifest " + id.prefix();
    NamespaceId found = NamespaceId.of(Digests.sha256().digest(bytes));
    if (!found.equals(id)) {
      throw new IdentityException(
          source + ": the stored bytes hash to " + found.prefix() + "; the file is damaged");
    }
    Map<String, Object> json = StrictJson.object(source, bytes);
    if (!Arrays.equals(CanonicalJson.bytes(json), bytes)) {
      throw new IdentityException(source + ": the stored bytes are not canonical JSON");
    }
    return new StoredManifest(id, json);
  }

  /**
   * {@return the manifest of a deployment in these bytes}
   *
   * @throws IdentityException if they do not hash to the id, are not canonical, or hold a name or a
   *     value that this version does not know
   */
  public static NamespaceManifest read(NamespaceId id, byte[] bytes) {
    return verify(id, bytes).manifest();
  }

  /** {@return whether it is a deployment's own, and not one that an unsafe policy shares} */
  public boolean ofDeployment() {
    return NamespaceManifest.SCHEMA.equals(json.get("schema"));
  }

  /**
   * {@return the manifest of the deployment}
   *
   * @throws IdentityException if a name or a value is unknown, or reads as another identity
   */
  public NamespaceManifest manifest() {
    NamespaceManifest manifest;
    try {
      manifest = NamespaceManifest.of(json);
    } catch (KvasirException e) {
      throw new IdentityException("manifest " + id.prefix() + ": " + e.getMessage());
    }
    if (!manifest.id().equals(id)) {
      throw new IdentityException(
          "manifest %s: this version reads it as %s; open it with the version that wrote it"
              .formatted(id.prefix(), manifest.id().prefix()));
    }
    return manifest;
  }
}
