package io.kvasir.plugin.memory;

import io.kvasir.api.ByteSize;
import io.kvasir.api.store.DeviceMemory;
import io.kvasir.api.store.Setting;
import java.time.Duration;

/**
 * Configuration of the store {@code memory}: its size, and the faults that it commits.
 *
 * <p>A <em>call</em> is one lookup, load, save or removal; opening and listing namespaces, usage,
 * health and close never fail by plan. A fault of bytes happens to the copy that a load puts into a
 * frame, not to the stored block, and <em>below</em> the store's own checksum: the store finds it
 * and says {@code CORRUPT}. With {@code checksum} off nothing finds it: the store says {@code OK}
 * over wrong bytes, which is the backend that lies. Counts are over the whole store, from its
 * opening.
 *
 * @param capacity payloads, keys and manifests together never occupy more
 * @param latency time that each call takes before it begins, cut off by its deadline
 * @param failEvery each n-th call fails with {@code IO} before it does anything; 0 for never
 * @param blackHoleAfter the n-th call and every later one hang; 0 for never
 * @param beyondDeadline whether a call that hangs ignores its deadline and ends when the store is
 *     closed; otherwise it ends {@code TIMEOUT} at its deadline
 * @param shortRead each n-th loaded block ends half-way; 0 for never
 * @param flippedBit each n-th loaded block has one bit turned over; 0 for never
 * @param checksum whether length and CRC-32C of a block are compared at load; false makes a store
 *     that lies
 * @param cuda how blocks of a GPU's memory are moved
 */
public record MemoryConfiguration(
    @Setting(value = "Bytes that the store may occupy.", byDefault = "1GiB") ByteSize capacity,
    @Setting(value = "Time that each call takes.", byDefault = "0ms") Duration latency,
    @Setting(value = "Each n-th call fails; 0 for never.", byDefault = "0") int failEvery,
    @Setting(value = "The n-th call and all later ones hang; 0 for never.", byDefault = "0")
        int blackHoleAfter,
    @Setting(value = "Calls that hang ignore their deadline.", byDefault = "false")
        boolean beyondDeadline,
    @Setting(value = "Each n-th loaded block is cut short; 0 for never.", byDefault = "0")
        int shortRead,
    @Setting(value = "Each n-th loaded block has a bit flipped; 0 for never.", byDefault = "0")
        int flippedBit,
    @Setting(value = "Loads compare length and CRC-32C.", byDefault = "true") boolean checksum,
    @Setting(
            value = "How blocks of a GPU are moved: auto, staged, batch, loop, or off.",
            byDefault = "auto")
        DeviceMemory.Way cuda) {

  /** {@return a store of this size without faults} */
  public static MemoryConfiguration of(ByteSize capacity) {
    return new MemoryConfiguration(
        capacity, Duration.ZERO, 0, 0, false, 0, 0, true, DeviceMemory.Way.AUTO);
  }

  /** {@return this configuration with each call taking that long} */
  public MemoryConfiguration withLatency(Duration latency) {
    return new MemoryConfiguration(
        capacity,
        latency,
        failEvery,
        blackHoleAfter,
        beyondDeadline,
        shortRead,
        flippedBit,
        checksum,
        cuda);
  }

  /** {@return this configuration with each n-th call failing} */
  public MemoryConfiguration failingEvery(int n) {
    return new MemoryConfiguration(
        capacity,
        latency,
        n,
        blackHoleAfter,
        beyondDeadline,
        shortRead,
        flippedBit,
        checksum,
        cuda);
  }

  /** {@return this configuration with the n-th call and all later ones hanging} */
  public MemoryConfiguration hangingFrom(int n, boolean beyondDeadline) {
    return new MemoryConfiguration(
        capacity, latency, failEvery, n, beyondDeadline, shortRead, flippedBit, checksum, cuda);
  }

  /** {@return this configuration with each n-th loaded block cut short} */
  public MemoryConfiguration shortReadEvery(int n) {
    return new MemoryConfiguration(
        capacity,
        latency,
        failEvery,
        blackHoleAfter,
        beyondDeadline,
        n,
        flippedBit,
        checksum,
        cuda);
  }

  /** {@return this configuration with a bit of each n-th loaded block flipped} */
  public MemoryConfiguration flippingEvery(int n) {
    return new MemoryConfiguration(
        capacity, latency, failEvery, blackHoleAfter, beyondDeadline, shortRead, n, checksum, cuda);
  }

  /** {@return this configuration without the store's checksum: its faults of bytes end OK} */
  public MemoryConfiguration lying() {
    return new MemoryConfiguration(
        capacity,
        latency,
        failEvery,
        blackHoleAfter,
        beyondDeadline,
        shortRead,
        flippedBit,
        false,
        cuda);
  }
}
