package io.kvasir.api.store;

import io.kvasir.api.identity.NamespaceId;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * A namespace in a store, for operators.
 *
 * @param id the namespace
 * @param manifest its stored bytes
 * @param configuration the normalised model configuration in canonical JSON, where it is kept
 * @param labels display names
 * @param blocks committed blocks
 * @param bytes payload bytes of the committed blocks
 * @param created when it was created
 * @param lastUsed when it was last opened, read or written
 * @param supersededBy the namespace that followed it after a weight update
 */
@SuppressWarnings("ArrayRecordComponent") // stored bytes, compared by nobody
public record NamespaceSummary(
    NamespaceId id,
    byte[] manifest,
    Optional<byte[]> configuration,
    Map<String, String> labels,
    long blocks,
    long bytes,
    Instant created,
    Instant lastUsed,
    Optional<NamespaceId> supersededBy) {}
