package io.kvasir.plugin.mooncake;

import io.kvasir.api.ByteSize;
import io.kvasir.api.store.DeviceMemory;
import io.kvasir.api.store.Setting;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The configuration of the store {@code mooncake}. What is not given here and stands in a {@code
 * mooncake.json} of the Python connectors is taken from there: {@link ConnectorFile}.
 */
public record MooncakeConfig(
    @Setting(
            "Mooncake's libmooncake_store.so; without it MOONCAKE_STORE_LIBRARY, then the loader's"
                + " path.")
        Optional<Path> library,
    @Setting("A mooncake.json of the Python connectors; without it MOONCAKE_CONFIG_PATH, if set.")
        Optional<Path> connectorFile,
    @Setting("The master, as host:port.") Optional<String> master,
    @Setting(
            "Where segments are announced: P2PHANDSHAKE (the default) or"
                + " http://host:port/metadata.")
        Optional<String> metadata,
    @Setting("This machine as the cluster reaches it, without a port; found by itself.")
        Optional<String> host,
    @Setting("How bytes travel: tcp (the default) or rdma.") Optional<Protocol> protocol,
    @Setting("Names of the RDMA devices, with commas; without it the library chooses.")
        Optional<String> device,
    @Setting(
            "Memory that this process adds to the cluster and takes away when it ends: 0 (the"
                + " default) or at least 16 MiB.")
        Optional<ByteSize> segment,
    @Setting("The library's own buffer, for what the cluster has moved to disks; 0 is the default.")
        Optional<ByteSize> buffer,
    @Setting(value = "Copies of each block, in different segments.", byDefault = "1") int replicas,
    @Setting(
            value =
                "What is evicted late: none, soft (kept for 30 minutes if there is room) or hard"
                    + " (never evicted).",
            byDefault = "none")
        Pin pin,
    @Setting(
            value = "Names of the segments that blocks go to while there is room in them.",
            byDefault = "[]")
        List<String> preferredSegments,
    @Setting(
            "The master's HTTP port, as host:port: with it health and metrics speak of the"
                + " cluster.")
        Optional<String> masterHttp,
    @Setting(
            value =
                "Ask before and after each save what of it can be read: Mooncake says done also"
                    + " while another writes the same key. It gives them Mooncake's lease.",
            byDefault = "true")
        boolean verifySaves,
    @Setting(
            value = "Bytes of blocks that leases keep at most; beyond it a lookup is a hint.",
            byDefault = "1 GiB")
        ByteSize leased,
    @Setting(
            value =
                "How often Mooncake's own lease on leased blocks is renewed: well below the"
                    + " master's default_kv_lease_ttl.",
            byDefault = "3s")
        Duration leaseRenewal,
    @Setting(value = "Outages in a row that open the breaker.", byDefault = "3")
        int breakerFailures,
    @Setting(
            value = "Pause before the master is asked again while the breaker is open.",
            byDefault = "1s")
        Duration breakerDelay,
    @Setting(
            value =
                "Calls that may run on in the library after their deadline; the breaker opens at"
                    + " half of them.",
            byDefault = "16")
        int abandonedCalls,
    @Setting(
            value =
                "How long the library waits for an answer of the master; MC_RPC_TIMEOUT_MS wins.",
            byDefault = "10s")
        Duration rpcTimeout,
    @Setting(
            value =
                "How often the library tries to reach the master at the start;"
                    + " MC_STORE_CLIENT_SETUP_RETRIES wins.",
            byDefault = "1")
        int setupRetries,
    @Setting(value = "What the library writes to stderr; MC_LOG_LEVEL wins.", byDefault = "error")
        LogLevel logLevel,
    @Setting(
            value = "How blocks of a GPU are moved: auto, staged, batch, loop, or off.",
            byDefault = "auto")
        DeviceMemory.Way cuda) {

  /** How bytes travel. */
  public enum Protocol {
    /** Over TCP. */
    TCP,
    /** Over RDMA; without a device the library falls back to TCP. */
    RDMA
  }

  /** What is evicted late. */
  public enum Pin {
    /** Nothing. */
    NONE,
    /** Evicted last, for 30 minutes from when it can be read. */
    SOFT,
    /** Never evicted, only removed. */
    HARD
  }

  /** What the library writes. */
  public enum LogLevel {
    /** All of it. */
    TRACE,
    /** 17 lines and more for each start. */
    INFO,
    /** What is odd. */
    WARNING,
    /** Failures. */
    ERROR
  }
}
