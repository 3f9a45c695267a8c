package io.kvasir.api.store;

/**
 * What a backend can do. A capability that is claimed must work; one that is not must fail with
 * {@link StoreException.Kind#UNSUPPORTED}.
 *
 * @param persistent blocks outlive the process
 * @param leases a lookup keeps what it found loadable
 * @param scopedDelete removes a namespace, or blocks of one, and nothing else
 * @param enumerate lists its namespaces
 * @param prefixClosed publishes a block only when its parent is published
 * @param checksum finds a changed byte of a stored block by itself
 * @param usage counts the bytes that it really occupies
 * @param deviceMemory moves blocks of device memory by a path of its own, where there is a device
 */
public record Capabilities(
    boolean persistent,
    boolean leases,
    boolean scopedDelete,
    boolean enumerate,
    boolean prefixClosed,
    boolean checksum,
    boolean usage,
    boolean deviceMemory) {}
