package io.kvasir.core.connector;

import io.kvasir.api.ByteSize;
import io.kvasir.api.KvasirException;
import io.kvasir.api.store.Setting;
import java.time.Duration;

/**
 * How a connector guards its store: the object {@code connector} of the configuration.
 *
 * @param lookupDeadline deadline of a lookup for which the engine gives none
 * @param loadDeadline deadline of a load for which the engine gives none
 * @param longestDeadline what a deadline that the engine gives is cut to
 * @param saveMaxWait how long a save may hold the engine's blocks
 * @param openTimeout how long the store may take to open a namespace
 * @param closeTimeout how long {@link Connector#close} may take
 * @param loadWorkers threads that look up and load
 * @param saveWorkers threads that save
 * @param stuckWorkers threads that are replaced while a call of the store does not come back
 * @param batchBlocks most blocks of one call of the store
 * @param frames native memory for blocks on their way
 * @param queue bytes of loads and saves that may wait
 * @param breakerFailures consecutive failures that open the breaker
 * @param breakerDelay how long the breaker stays open before a probe
 * @param failedLoadDelay how long a block whose load failed counts as absent
 * @param leaseLimit how long the lease of an open request is renewed
 */
public record ConnectorSettings(
    @Setting(value = "Deadline of a lookup for which the engine gives none.", byDefault = "100ms")
        Duration lookupDeadline,
    @Setting(value = "Deadline of a load for which the engine gives none.", byDefault = "2s")
        Duration loadDeadline,
    @Setting(value = "What a deadline that the engine gives is cut to.", byDefault = "60s")
        Duration longestDeadline,
    @Setting(value = "How long a save may hold the engine's blocks.", byDefault = "2s")
        Duration saveMaxWait,
    @Setting(value = "How long the store may take to open a namespace.", byDefault = "30s")
        Duration openTimeout,
    @Setting(value = "How long closing may take.", byDefault = "5s") Duration closeTimeout,
    @Setting(value = "Threads that look up and load.", byDefault = "4") int loadWorkers,
    @Setting(value = "Threads that save.", byDefault = "4") int saveWorkers,
    @Setting(
            value = "Threads that are replaced while a call of the store does not come back.",
            byDefault = "8")
        int stuckWorkers,
    @Setting(value = "Most blocks of one call of the store.", byDefault = "32") int batchBlocks,
    @Setting(value = "Native memory for blocks on their way.", byDefault = "256 MiB")
        ByteSize frames,
    @Setting(value = "Bytes of loads, and again of saves, that may wait.", byDefault = "1 GiB")
        ByteSize queue,
    @Setting(value = "Consecutive failures that open the breaker.", byDefault = "5")
        int breakerFailures,
    @Setting(value = "How long the breaker stays open before a probe.", byDefault = "5s")
        Duration breakerDelay,
    @Setting(value = "How long a block whose load failed counts as absent.", byDefault = "10s")
        Duration failedLoadDelay,
    @Setting(value = "How long the lease of an open request is renewed.", byDefault = "10m")
        Duration leaseLimit) {

  /** Refuses what no connector can work with. */
  public ConnectorSettings {
    positive("lookup-deadline", lookupDeadline);
    positive("load-deadline", loadDeadline);
    positive("longest-deadline", longestDeadline);
    positive("save-max-wait", saveMaxWait);
    positive("open-timeout", openTimeout);
    positive("close-timeout", closeTimeout);
    positive("breaker-delay", breakerDelay);
    positive("failed-load-delay", failedLoadDelay);
    positive("lease-limit", leaseLimit);
    between("load-workers", loadWorkers, 1, 256);
    between("save-workers", saveWorkers, 1, 256);
    between("stuck-workers", stuckWorkers, 0, 1024);
    between("batch-blocks", batchBlocks, 1, 4096);
    between("breaker-failures", breakerFailures, 1, 1_000_000);
  }

  /** {@return the settings of a configuration that says nothing} */
  public static ConnectorSettings defaults() {
    return new ConnectorSettings(
        Duration.ofMillis(100),
        Duration.ofSeconds(2),
        Duration.ofSeconds(60),
        Duration.ofSeconds(2),
        Duration.ofSeconds(30),
        Duration.ofSeconds(5),
        4,
        4,
        8,
        32,
        new ByteSize(256L << 20),
        new ByteSize(1L << 30),
        5,
        Duration.ofSeconds(5),
        Duration.ofSeconds(10),
        Duration.ofMinutes(10));
  }

  private static void positive(String name, Duration value) {
    if (!value.isPositive()) {
      throw new KvasirException(
          "%s: %dms is not positive; write a time such as 2s".formatted(name, value.toMillis()));
    }
  }

  private static void between(String name, int value, int least, int most) {
    if (value < least || value > most) {
      throw new KvasirException(
          "%s: %d is out of bounds; write %d to %d".formatted(name, value, least, most));
    }
  }
}
