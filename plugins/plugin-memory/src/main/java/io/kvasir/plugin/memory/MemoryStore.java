package io.kvasir.plugin.memory;

import io.kvasir.api.Deadline;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.identity.NamespaceId;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.store.DeviceMemory;
import io.kvasir.api.store.FrameSource;
import io.kvasir.api.store.NamespaceStore;
import io.kvasir.api.store.NamespaceSummary;
import io.kvasir.api.store.Store;
import io.kvasir.api.store.StoreException;
import io.kvasir.api.store.StoreException.Kind;
import io.kvasir.api.store.StoreHealth;
import io.kvasir.api.store.StoreUsage;
import io.kvasir.api.store.TransferPath;
import io.kvasir.cuda.Cuda;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** An open store in memory. */
final class MemoryStore implements Store {
  private final MemoryConfiguration configuration;
  private final Duration closeTimeout;
  private final System.Logger log;
  private final Map<NamespaceId, Namespace> namespaces = new HashMap<>(); // guarded by itself
  private final DeviceMemory device;
  final Gate gate;
  final BlockIndex index;
  final RecentCalls recent = new RecentCalls();

  MemoryStore(MemoryConfiguration configuration, Duration closeTimeout, System.Logger log) {
    this.configuration = configuration;
    this.closeTimeout = closeTimeout;
    this.log = log;
    this.device =
        DeviceMemory.ifInstalled(
            FrameSource.HOST, frames -> Cuda.over(frames, configuration.cuda(), log));
    this.gate = new Gate(configuration);
    this.index = new BlockIndex(configuration.capacity().bytes(), System::nanoTime);
  }

  boolean checksum() {
    return configuration.checksum();
  }

  @Override
  public NamespaceStore open(NamespaceManifest manifest) throws StoreException {
    gate.check();
    synchronized (namespaces) {
      Namespace namespace = namespaces.get(manifest.id());
      if (namespace == null) {
        namespace = create(manifest);
      }
      StoreException.unlessSame("the store's memory", namespace.manifest, manifest);
      namespace.use();
      namespace.label(manifest.labels());
      Optional<Namespace> superseded = manifest.supersedes().map(namespaces::get);
      superseded.ifPresent(old -> old.supersededBy = manifest.id());
      return new MemoryNamespaceStore(this, namespace);
    }
  }

  private Namespace create(NamespaceManifest manifest) throws StoreException {
    Namespace namespace = new Namespace(manifest);
    if (!index.reserve(namespace.occupied())) {
      throw new StoreException(
          Kind.CAPACITY,
          "no room for a manifest of %d bytes: capacity is %s"
              .formatted(namespace.occupied(), configuration.capacity()));
    }
    namespaces.put(namespace.id, namespace);
    return namespace;
  }

  @Override
  public List<NamespaceSummary> namespaces() throws StoreException {
    gate.check();
    List<NamespaceSummary> out = new ArrayList<>();
    synchronized (namespaces) {
      for (Namespace namespace : namespaces.values()) {
        long[] count = index.count(namespace.id);
        out.add(namespace.summary(count[0], count[1]));
      }
    }
    return out;
  }

  @Override
  public void remove(NamespaceId id, Deadline deadline) throws StoreException {
    call(
        deadline,
        () -> {
          synchronized (namespaces) {
            Namespace namespace = namespaces.remove(id);
            if (namespace != null) {
              synchronized (index) { // no save slips in between
                namespace.removed = true;
                index.removeAll(id);
                index.release(namespace.occupied());
              }
            }
          }
        });
  }

  void remove(BlockKeys keys, Deadline deadline) throws StoreException {
    call(
        deadline,
        () -> {
          for (int i = 0; i < keys.count(); i++) {
            index.remove(Block.Key.of(keys, i));
          }
        });
  }

  private void call(Deadline deadline, Runnable work) throws StoreException {
    try {
      gate.enter(deadline);
    } catch (StoreException e) {
      failed(e);
      throw e;
    }
    try {
      work.run();
      recent.succeeded();
    } finally {
      gate.leave();
    }
  }

  void failed(StoreException e) {
    if (e.kind() != Kind.CLOSED) {
      recent.failed(e.kind() + ", " + e.getMessage());
    }
  }

  @Override
  public StoreUsage usage() throws StoreException {
    gate.check();
    return index.usage();
  }

  @Override
  public StoreHealth health() {
    return recent.health();
  }

  @Override
  public Map<String, Long> metrics() {
    return device.metrics();
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
  public void close() {
    int abandoned = gate.close(closeTimeout);
    if (abandoned > 0) {
      log.log(
          System.Logger.Level.WARNING,
          "closed with {0} calls still running after {1}",
          abandoned,
          closeTimeout);
    }
    device.close();
    recent.closed();
    index.clear();
  }

  /** {@return the stored bytes of a manifest, for tests that damage them} */
  byte[] storedManifest(NamespaceId id) {
    synchronized (namespaces) {
      return namespaces.get(id).manifest;
    }
  }
}
