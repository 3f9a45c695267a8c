package io.kvasir.plugin.memory;

import io.kvasir.api.identity.CanonicalJson;
import io.kvasir.api.identity.NamespaceId;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.store.NamespaceSummary;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/** A namespace as it is kept: the manifest's bytes, and the record beside it. */
final class Namespace {
  final NamespaceId id;
  final byte[] manifest;
  private final Optional<byte[]> configuration;
  private final Instant created = Instant.now();
  private volatile Map<String, String> labels;
  private volatile Instant lastUsed = created;
  volatile NamespaceId supersededBy;
  volatile boolean removed;

  Namespace(NamespaceManifest manifest) {
    this.id = manifest.id();
    this.manifest = manifest.canonical();
    this.configuration = manifest.format().config().tree().map(CanonicalJson::bytes);
    this.labels = manifest.labels();
  }

  void use() {
    lastUsed = Instant.now();
  }

  void label(Map<String, String> labels) {
    if (!labels.isEmpty()) {
      this.labels = labels;
    }
  }

  long occupied() {
    return manifest.length + configuration.map(c -> (long) c.length).orElse(0L);
  }

  NamespaceSummary summary(long blocks, long bytes) {
    return new NamespaceSummary(
        id,
        manifest.clone(),
        configuration.map(byte[]::clone),
        labels,
        blocks,
        bytes,
        created,
        lastUsed,
        Optional.ofNullable(supersededBy));
  }
}
