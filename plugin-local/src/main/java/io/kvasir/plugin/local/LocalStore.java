package io.kvasir.plugin.local;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.Deadline;
import io.kvasir.api.identity.NamespaceId;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.store.DeviceMemory;
import io.kvasir.api.store.FrameSource;
import io.kvasir.api.store.NamespaceStore;
import io.kvasir.api.store.NamespaceSummary;
import io.kvasir.api.store.Store;
import io.kvasir.api.store.StoreException;
import io.kvasir.api.store.StoreHealth;
import io.kvasir.api.store.StoreUsage;
import io.kvasir.api.store.TransferPath;
import io.kvasir.cuda.Cuda;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** An open directory: its lock, its namespaces, and a slab for each slot size. */
final class LocalStore implements Store {

  /** Frames that a slot can be written from and read into in one piece. */
  private static final FrameSource FRAMES =
      new FrameSource() {
        @Override
        public long alignment() {
          return Layout.PAGE;
        }

        @Override
        public long frameBytes(long payloadBytes) {
          return Layout.slotBytes(payloadBytes);
        }
      };

  /** The directory, its lock, the file that says what it is, and a small file being replaced. */
  static final long OWN_BYTES = 4L * Layout.PAGE;

  private final Directory directory;
  private final AutoCloseable holds; // the lock, and what the directory needs
  private final String mode;
  private final LocalConfig config;
  private final System.Logger log;
  private final Duration closeTimeout;
  private final Budget budget;
  private final Namespaces namespaces;
  private final Slabs slabs;
  private final OldNamespaces old;
  private final Set<LocalNamespace> open = ConcurrentHashMap.newKeySet();
  private final StoreThreads threads;
  private final Metrics metrics = new Metrics();
  private final Chores chores;
  private DeviceMemory device = DeviceMemory.none(FRAMES);
  private volatile boolean closed;

  LocalStore(
      Directory directory,
      AutoCloseable holds,
      String mode,
      LocalConfig config,
      StoreThreads threads,
      System.Logger log,
      Duration closeTimeout)
      throws IOException {
    this.threads = threads;
    this.directory = directory;
    this.holds = holds;
    this.mode = mode;
    this.config = config;
    this.log = log;
    this.closeTimeout = closeTimeout;
    StoreFile.open(directory);
    for (String name : directory.names()) {
      if (name.endsWith(Directory.TEMPORARY)) {
        directory.delete(name);
      }
    }
    this.budget = new Budget(directory, config.capacity().bytes(), config.keepFree().bytes());
    budget.count(OWN_BYTES);
    this.namespaces = new Namespaces(directory, budget);
    this.slabs =
        new Slabs(
            directory,
            config,
            log,
            closeTimeout,
            StoreFile.open(directory),
            budget,
            namespaces,
            this::sizesInUse,
            threads,
            metrics);
    this.old = new OldNamespaces(this, namespaces, slabs, budget, this::isOpen, log, closeTimeout);
    this.chores = new Chores(slabs.all(), new Scrub(slabs.all(), config.scrub().bytes()), log);
  }

  /** Opens what is there. */
  void openAll() throws IOException, StoreException {
    slabs.openAll();
  }

  /** Adds paths to the memory of devices; called before anybody has the store. */
  LocalStore reachDevices() {
    device = DeviceMemory.ifInstalled(FRAMES, frames -> Cuda.over(frames, config.cuda(), log));
    return this;
  }

  /** Begins with what the store does by itself. */
  void startChores() {
    chores.start();
  }

  /** Gives everything back after an open that failed. */
  void abandon(Throwable because) {
    for (Slab slab : slabs.all()) {
      try {
        slab.close(Deadline.after(Duration.ZERO));
      } catch (IOException e) {
        because.addSuppressed(e);
      }
    }
    threads.close();
    Opening.release(holds, because);
  }

  @Override
  public NamespaceStore open(NamespaceManifest manifest) throws StoreException {
    synchronized (slabs) {
      checkOpen();
      try {
        long bytes = NamespaceFiles.bytes(manifest);
        if (!old.makeRoom(bytes, () -> namespaces.open(manifest))) {
          throw Namespaces.noRoom(directory, bytes, budget.capacity());
        }
        LocalNamespace opened = new LocalNamespace(manifest, this);
        open.add(opened);
        try {
          createSlabs(manifest);
        } catch (IOException | StoreException e) {
          open.remove(opened);
          throw e;
        }
        old.collect();
        return opened;
      } catch (IOException e) {
        throw Failures.of(e, "namespace " + manifest.id());
      }
    }
  }

  private void createSlabs(NamespaceManifest manifest) throws IOException, StoreException {
    for (int group = 0; group < manifest.groups(); group++) {
      Optional<String> refusal = slabs.refusal(manifest, group);
      if (refusal.isEmpty()) {
        long payload = manifest.payloadBytes(group);
        slabs.create((int) Layout.slotBytes(payload));
        long bytes = NamespaceNumbers.PAGE_BYTES;
        Bits128 half = Namespaces.half(manifest.id());
        if (!old.makeRoom(bytes, () -> slabs.get(payload).makeRoomFor(half))) {
          throw Namespaces.noRoom(directory, bytes, budget.capacity());
        }
      } else {
        log.log(Level.WARNING, refusal.get());
      }
    }
  }

  private boolean isOpen(NamespaceId id) {
    return open.stream().anyMatch(namespace -> namespace.id().equals(id));
  }

  private Set<Integer> sizesInUse() {
    Set<Integer> sizes = new HashSet<>();
    for (LocalNamespace namespace : open) {
      for (int group = 0; group < namespace.manifest().groups(); group++) {
        long payload = namespace.manifest().payloadBytes(group);
        sizes.add((int) Math.min(Integer.MAX_VALUE, Layout.slotBytes(payload)));
      }
    }
    return sizes;
  }

  Slabs slabs() {
    return slabs;
  }

  void closed(LocalNamespace namespace) {
    if (open.remove(namespace)) {
      try {
        namespaces.used(namespace.id());
      } catch (IOException e) {
        log.log(Level.WARNING, "store {0}: {1}", directory.describe(""), e);
      }
    }
  }

  @Override
  public List<NamespaceSummary> namespaces() throws StoreException {
    checkOpen();
    List<NamespaceSummary> summaries = new ArrayList<>();
    try {
      for (NamespaceId namespace : namespaces.all()) {
        summaries.add(summary(namespace));
      }
    } catch (IOException e) {
      throw Failures.of(e, "store " + directory.describe(""));
    }
    return summaries;
  }

  private NamespaceSummary summary(NamespaceId namespace) throws IOException {
    long blocks = 0;
    long bytes = 0;
    for (Slab slab : slabs.all()) {
      Slab.Usage usage = slab.usage(Namespaces.half(namespace));
      blocks += usage.blocks();
      bytes += usage.payloadBytes();
    }
    return namespaces.files().summary(namespace, blocks, bytes);
  }

  /** One record in every slab file before the removal is acknowledged, the manifest after them. */
  @Override
  public void remove(NamespaceId namespace, Deadline deadline) throws StoreException {
    synchronized (slabs) {
      checkOpen();
      if (!namespaces.contains(namespace)) {
        return;
      }
      for (LocalNamespace opened : open) {
        if (opened.id().equals(namespace)) {
          opened.end(BlockStatus.MISS);
        }
      }
      for (Slab slab : slabs.all()) {
        BlockStatus status = slab.endNamespace(Namespaces.half(namespace), deadline);
        if (status != BlockStatus.OK) {
          throw Failures.of(status, "the removal of namespace " + namespace);
        }
      }
      try {
        namespaces.remove(namespace);
      } catch (IOException e) {
        throw Failures.of(e, "namespace " + namespace);
      }
    }
  }

  @Override
  public StoreUsage usage() throws StoreException {
    checkOpen();
    Slab.Usage usage = slabs.usage();
    return new StoreUsage(
        usage.blocks(),
        usage.payloadBytes(),
        budget.taken(),
        budget.capacity(),
        usage.leasedBlocks());
  }

  @Override
  public StoreHealth health() {
    return closed ? StoreHealth.down("closed") : Troubles.health(mode, slabs.all());
  }

  @Override
  public Map<String, Long> metrics() {
    Map<String, Long> values = metrics.snapshot();
    Slab.Usage usage = slabs.usage();
    values.put("stored.blocks", usage.blocks());
    values.put("stored.bytes", usage.payloadBytes());
    values.put("pinned.blocks", usage.leasedBlocks());
    values.put("disk.bytes", budget.taken());
    values.put("disk.capacity.bytes", budget.capacity());
    values.put("mode.direct", mode.equals("direct") ? 1L : 0L);
    values.put("mode.readonly", slabs.all().stream().anyMatch(s -> s.failure() != null) ? 1L : 0L);
    values.putAll(device.metrics());
    return values;
  }

  Metrics counters() {
    return metrics;
  }

  @Override
  public Optional<String> refusal(NamespaceManifest manifest) {
    return Slabs.refusal(config, manifest);
  }

  @Override
  public FrameSource frames() {
    return device.frames();
  }

  @Override
  public List<TransferPath> transferPaths() {
    return device.paths();
  }

  private void checkOpen() throws StoreException {
    if (closed) {
      throw new StoreException(StoreException.Kind.CLOSED, "the store is closed");
    }
  }

  @Override
  public void close() throws StoreException {
    synchronized (slabs) {
      if (closed) {
        return;
      }
      closed = true;
      device.close();
      Deadline deadline = Deadline.after(closeTimeout);
      chores.close();
      for (LocalNamespace namespace : List.copyOf(open)) {
        namespace.close();
      }
      IOException failed = null;
      for (Slab slab : slabs.all()) {
        failed = close(slab, deadline, failed);
      }
      threads.close();
      try {
        holds.close();
      } catch (Exception e) {
        log.log(Level.WARNING, "store " + directory.describe(""), e);
      }
      if (failed != null) {
        throw Failures.of(failed, "store " + directory.describe(""));
      }
    }
  }

  private IOException close(Slab slab, Deadline deadline, IOException earlier) {
    try {
      if (!slab.close(deadline)) {
        log.log(
            Level.WARNING,
            "store {0}: abandoned operations on {1} that were still running",
            directory.describe(""),
            SlabFile.name(slab.header().slotBytes()));
      }
      return earlier;
    } catch (IOException e) {
      return e;
    }
  }
}
