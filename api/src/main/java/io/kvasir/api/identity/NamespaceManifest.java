package io.kvasir.api.identity;

import io.kvasir.api.format.KvFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Everything that is constant for a deployment and decides what its blocks mean. Its canonical JSON
 * hashes to the namespace's id, so a manifest proves itself; a store keeps it beside the blocks and
 * compares it on the stored bytes.
 *
 * <p>Labels and what a namespace supersedes are kept with it and are not identity. Immutable.
 */
public final class NamespaceManifest {
  /** The schema of manifests under strict identity. */
  public static final String SCHEMA = "kvasir/namespace/1";

  private final byte[] canonical;
  private final NamespaceId id;
  private final String tenant;
  private final KvFormat format;
  private final Weights weights;
  private final Map<String, String> labels;
  private final NamespaceId supersedes;

  private NamespaceManifest(
      byte[] canonical,
      String tenant,
      Weights weights,
      KvFormat format,
      Map<String, String> labels,
      NamespaceId supersedes) {
    this.canonical = canonical;
    this.id = NamespaceId.of(Sha256.of(canonical));
    this.tenant = tenant;
    this.weights = weights;
    this.format = format;
    this.labels = java.util.Collections.unmodifiableMap(new TreeMap<>(labels));
    this.supersedes = supersedes;
  }

  /**
   * {@return the manifest of a deployment}
   *
   * @param tenant who owns the bytes; not empty, in NFC
   * @throws IdentityException if the tenant is empty, or a value has no canonical form or could not
   *     be read again
   */
  public static NamespaceManifest of(String tenant, Weights weights, KvFormat format) {
    Text.required("tenant", tenant);
    Map<String, Object> json = ManifestJson.write(tenant, weights, format);
    ManifestJson.read(json);
    return new NamespaceManifest(
        CanonicalJson.bytes(json), tenant, weights, format, Map.of(), null);
  }

  /**
   * {@return the manifest that a JSON tree describes}
   *
   * @throws IdentityException if a name is missing, unknown, or has a value of the wrong type
   */
  public static NamespaceManifest of(Map<String, Object> json) {
    ManifestJson.Parts parts = ManifestJson.read(json);
    return of(parts.tenant(), parts.weights(), parts.format());
  }

  /**
   * {@return the manifest of a namespace that an unsafe policy shares between deployments}
   *
   * <p>Its schema is {@code kvasir/policy/<policy>/1}, so that it can never equal a strict one.
   *
   * @param policy name of the policy
   * @param fields all that the policy tells deployments apart by
   */
  public NamespaceManifest reduced(String policy, Map<String, Object> fields) {
    Map<String, Object> json = new LinkedHashMap<>(fields);
    json.put("schema", "kvasir/policy/" + policy + "/1");
    return new NamespaceManifest(
        CanonicalJson.bytes(json), tenant, weights, format, labels, supersedes);
  }

  /** {@return this manifest with labels: display names that are not identity} */
  public NamespaceManifest withLabels(Map<String, String> labels) {
    return new NamespaceManifest(canonical, tenant, weights, format, labels, supersedes);
  }

  /** {@return this manifest as the one that follows another after a weight update; not identity} */
  public NamespaceManifest superseding(NamespaceId previous) {
    return new NamespaceManifest(canonical, tenant, weights, format, labels, previous);
  }

  /** {@return the SHA-256 of {@link #canonical()}} */
  public NamespaceId id() {
    return id;
  }

  /** {@return a copy of the canonical JSON in UTF-8, as a store keeps it} */
  public byte[] canonical() {
    return canonical.clone();
  }

  /** {@return who owns the bytes} */
  public String tenant() {
    return tenant;
  }

  /** {@return the state of the weights} */
  public Weights weights() {
    return weights;
  }

  /** {@return what the bytes mean} */
  public KvFormat format() {
    return format;
  }

  /** {@return the JSON tree; of the deployment, also where a policy reduced the namespace} */
  public Map<String, Object> json() {
    return ManifestJson.write(tenant, weights, format);
  }

  /** {@return display names} */
  public Map<String, String> labels() {
    return labels;
  }

  /** {@return the namespace that this one follows, after a weight update} */
  public Optional<NamespaceId> supersedes() {
    return Optional.ofNullable(supersedes);
  }

  /** {@return the number of groups} */
  public int groups() {
    return format.groups().size();
  }

  /** {@return the number of shards of each block} */
  public int shards() {
    return format.shards().count();
  }

  /** {@return the bytes of one block of one shard of a group} */
  public long payloadBytes(int group) {
    return format.payloadBytes(group);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof NamespaceManifest m && id.equals(m.id);
  }

  @Override
  public int hashCode() {
    return id.hashCode();
  }

  @Override
  public String toString() {
    return "namespace " + id.prefix() + " of " + tenant;
  }
}
