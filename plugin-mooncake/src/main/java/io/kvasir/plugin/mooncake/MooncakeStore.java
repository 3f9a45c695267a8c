package io.kvasir.plugin.mooncake;

import io.kvasir.api.Deadline;
import io.kvasir.api.identity.NamespaceId;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.store.DeviceMemory;
import io.kvasir.api.store.FrameSource;
import io.kvasir.api.store.NamespaceStore;
import io.kvasir.api.store.Store;
import io.kvasir.api.store.StoreException;
import io.kvasir.api.store.StoreHealth;
import io.kvasir.api.store.TransferPath;
import io.kvasir.cuda.Cuda;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/** An open store in a Mooncake cluster: a client of it, and what is kept in order beside it. */
final class MooncakeStore implements Store {
  private static final Duration OPENING = Duration.ofSeconds(10);
  private static final Duration RECENTLY = Duration.ofMinutes(1);
  private static final Duration MANIFEST_PERIOD = Duration.ofMinutes(1);
  private static final Duration PAGE_PERIOD = Duration.ofSeconds(5);
  private static final Duration PROBE_PERIOD = Duration.ofMillis(100);

  /** How long a renewal may take, at least: one that is only slow is no outage. */
  private static final Duration PATIENCE = Duration.ofSeconds(1);

  private final Arena arena = Arena.ofShared();
  private final Session session;
  private final Breaker breaker;
  private final Calls calls;
  private final Cluster cluster;
  private final KeptManifests manifests;
  private final Leases leases;
  private final Frames frames;
  private DeviceMemory device;
  private final MasterPage page;
  private final Upkeep upkeep;
  private final Set<MooncakeNamespace> open = ConcurrentHashMap.newKeySet();
  private final Logger log;
  private final Duration closeTimeout;
  private final String name;

  private MooncakeStore(
      Session session, MooncakeConfig config, MasterPage page, Logger log, Duration closeTimeout)
      throws StoreException {
    this.session = session;
    this.page = page;
    this.log = log;
    this.closeTimeout = closeTimeout;
    this.breaker =
        new Breaker(
            config.breakerFailures(), (config.abandonedCalls() + 1) / 2, config.breakerDelay());
    this.calls = new Calls(session, breaker, config.abandonedCalls());
    long replication =
        Replication.of(arena, config.replicas(), config.pin(), config.preferredSegments());
    this.cluster = new Cluster(session, calls, new Metrics(), replication, config.verifySaves());
    this.manifests =
        new KeptManifests(
            cluster, Replication.of(arena, config.replicas(), MooncakeConfig.Pin.SOFT, List.of()));
    this.leases = new Leases(config.leased().bytes());
    this.frames = new Frames(session);
    this.device = DeviceMemory.none(frames);
    this.name = session.name();
    this.upkeep = new Upkeep(log);
    keepUp(config);
  }

  /** {@return a store over a library that is loaded} */
  static MooncakeStore open(
      Abi abi, MooncakeConfig config, ClientSettings client, Logger log, Duration closeTimeout)
      throws StoreException {
    MasterPage page = config.masterHttp().map(MasterPage::new).orElse(null);
    Session session = Session.open(abi, client);
    boolean whole = false;
    try {
      MooncakeStore store = new MooncakeStore(session, config, page, log, closeTimeout);
      whole = true;
      log.log(
          Level.DEBUG,
          "client {0} of the Mooncake master {1}, metadata {2}, over {3}",
          store.name,
          client.master(),
          client.metadata(),
          client.protocolName());
      return store;
    } finally {
      if (!whole) {
        session.close(closeTimeout);
      }
    }
  }

  /** Adds paths to the memory of devices; called before anybody has the store. */
  MooncakeStore reachDevices(DeviceMemory.Way way) {
    device = DeviceMemory.ifInstalled(frames, asked -> Cuda.over(asked, way, log));
    return this;
  }

  private void keepUp(MooncakeConfig config) {
    Duration renewal = config.leaseRenewal();
    Duration within = renewal.compareTo(PATIENCE) > 0 ? renewal : PATIENCE;
    upkeep.every(renewal, "renewing leases", () -> leases.renewMooncakes(within));
    upkeep.every(PROBE_PERIOD, "probing", this::probe);
    upkeep.every(MANIFEST_PERIOD, "keeping manifests", this::keepManifests);
    if (page != null) {
      upkeep.every(PAGE_PERIOD, "asking the master's page", page::ask);
    }
  }

  /** Asks the master for a key that nobody writes, on no request's time. */
  private void probe() throws StoreException {
    if (breaker.wantsProbe()) {
      boolean begun = false;
      try {
        calls.start(
            "a probe",
            (handle, _) -> {
              try (Arena own = Arena.ofConfined()) {
                long key = Texts.utf8(own, "kv1:probe").address();
                return new long[] {cluster.abi().isExist(handle, key)};
              }
            },
            codes -> breaker.probed(codes.length > 0 && codes[0] >= 0));
        begun = true;
      } finally {
        if (!begun) {
          breaker.probed(false);
        }
      }
    }
  }

  private void keepManifests() throws StoreException {
    for (MooncakeNamespace namespace : open) {
      var _ = keep(namespace.naming(), namespace.manifest(), MANIFEST_PERIOD);
    }
  }

  /** Where others write, nothing is added. */
  private boolean keep(Naming naming, NamespaceManifest manifest, Duration within)
      throws StoreException {
    return !(naming instanceof Naming.Strict) || manifests.keep(manifest, Deadline.after(within));
  }

  @Override
  public NamespaceStore open(NamespaceManifest manifest) throws StoreException {
    Naming naming = Naming.of(manifest);
    if (!keep(naming, manifest, OPENING)) {
      log.log(
          Level.WARNING,
          "the manifest of {0} cannot be put now, for want of room or beside another writer; it is"
              + " put later, and blocks are kept meanwhile",
          manifest);
    }
    MooncakeNamespace namespace =
        new MooncakeNamespace(manifest, naming, cluster, leases, open::remove);
    open.add(namespace);
    return namespace;
  }

  /** What another process is writing at this moment may still appear. */
  @Override
  public void remove(NamespaceId id, Deadline deadline) throws StoreException {
    for (MooncakeNamespace namespace : open) {
      if (namespace.manifest().id().equals(id)) {
        namespace.removed();
      }
    }
    open.removeIf(namespace -> namespace.manifest().id().equals(id));
    manifests.removeAll(id, deadline);
  }

  @Override
  public FrameSource frames() {
    return device.frames();
  }

  @Override
  public List<TransferPath> transferPaths() {
    return device.paths();
  }

  @Override
  public Map<String, Long> metrics() {
    Map<String, Long> values = new TreeMap<>(cluster.metrics().snapshot());
    values.put("calls.abandoned", (long) calls.abandoned());
    values.put("calls.running", (long) session.inside());
    values.put("breaker.open", breaker.isOpen() ? 1L : 0L);
    values.put("pinned.blocks", leases.blocks());
    values.put("registered.bytes", frames.registeredBytes());
    values.putAll(device.metrics());
    if (page != null) {
      values.putAll(page.figures());
    }
    return values;
  }

  @Override
  public StoreHealth health() {
    if (breaker.isOpen()) {
      return StoreHealth.down("the breaker is open, nothing is asked: " + breaker.reason());
    }
    if (breaker.failedWithin(RECENTLY)) {
      return new StoreHealth(
          StoreHealth.State.DEGRADED,
          "a call was not answered, or not by its deadline, within the last minute");
    }
    if (page != null && !page.trouble().isEmpty()) {
      return new StoreHealth(StoreHealth.State.DEGRADED, page.trouble());
    }
    return StoreHealth.up("client " + name + " of a Mooncake cluster");
  }

  @Override
  public void close() {
    device.close();
    upkeep.close();
    open.forEach(leases::endAll);
    calls.close();
    if (session.close(closeTimeout)) {
      arena.close();
    } else {
      log.log(
          Level.WARNING,
          "closed with {0} calls still in the library after {1}; the client is destroyed when they"
              + " come back",
          session.inside(),
          closeTimeout);
    }
  }
}
