package io.kvasir.api.store;

/**
 * What a store holds.
 *
 * @param blocks committed blocks
 * @param payloadBytes bytes of their payloads
 * @param occupiedBytes bytes that the store really occupies, logs and manifests included
 * @param capacityBytes what it may occupy
 * @param leasedBlocks blocks that leases keep
 */
public record StoreUsage(
    long blocks, long payloadBytes, long occupiedBytes, long capacityBytes, long leasedBlocks) {}
