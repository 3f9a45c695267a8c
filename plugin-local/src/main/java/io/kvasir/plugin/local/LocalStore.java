package io.kvasir.plugin.local;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.Deadline;
import io.kvasir.api.identity.NamespaceId;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.store.FrameSource;
import io.kvasir.api.store.NamespaceStore;
import io.kvasir.api.store.NamespaceSummary;
import io.kvasir.api.store.Store;
import io.kvasir.api.store.StoreException;
import io.kvasir.api.store.StoreHealth;
import io.kvasir.api.store.StoreUsage;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** An open directory: its lock, its namespaces, and a slab for each slot size. */
final class LocalStore implements Store {
  private static final long MOST_PAYLOAD = 1 << 30;
  private static final int FEWEST_SLOTS = 8;

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

  private final Directory directory;
  private final AutoCloseable holds; // the lock, and what the directory needs
  private final String mode;
  private final LocalConfig config;
  private final System.Logger log;
  private final Duration closeTimeout;
  private final long id;
  private final Budget budget;
  private final Namespaces namespaces;
  private final Map<Integer, Slab> slabs = new ConcurrentHashMap<>();
  private final Set<LocalNamespace> open = ConcurrentHashMap.newKeySet();
  private final IdleMarks marks;
  private boolean closed;

  private LocalStore(
      Directory directory,
      AutoCloseable holds,
      String mode,
      LocalConfig config,
      System.Logger log,
      Duration closeTimeout)
      throws IOException {
    this.directory = directory;
    this.holds = holds;
    this.mode = mode;
    this.config = config;
    this.log = log;
    this.closeTimeout = closeTimeout;
    this.id = StoreFile.open(directory);
    for (String name : directory.names()) {
      if (name.endsWith(Directory.TEMPORARY)) {
        directory.delete(name);
      }
    }
    this.budget = new Budget(directory, config.capacity().bytes(), config.keepFree().bytes());
    this.namespaces = new Namespaces(directory, budget);
    this.marks = new IdleMarks(slabs.values(), log);
  }

  static LocalStore open(LocalConfig config, System.Logger log, Duration closeTimeout)
      throws IOException, StoreException {
    return open(config, log, closeTimeout, true);
  }

  static LocalStore open(
      LocalConfig config, System.Logger log, Duration closeTimeout, boolean mayBeDirect)
      throws IOException, StoreException {
    DiskDirectory disk = new DiskDirectory(config.directory());
    StoreFile.refuseForeign(disk);
    DirectoryLock lock = DirectoryLock.take(config.directory());
    AutoCloseable holds =
        () -> {
          disk.close();
          lock.close();
        };
    try {
      StoreFile.open(disk);
      disk.settle(mayBeDirect);
    } catch (IOException | RuntimeException e) {
      release(holds, e);
      throw e;
    }
    if (!disk.isDirect()) {
      log.log(Level.WARNING, "store {0}: FALLBACK, its file system has no direct I/O", disk.path());
    }
    String mode = disk.isDirect() ? "direct" : "FALLBACK";
    LocalStore store = open(disk, holds, mode, config, log, closeTimeout);
    store.marks.start();
    return store;
  }

  /** Opens what is there, without idle marks; nothing stays open after an exception. */
  static LocalStore open(
      Directory directory,
      AutoCloseable holds,
      String mode,
      LocalConfig config,
      System.Logger log,
      Duration closeTimeout)
      throws IOException, StoreException {
    LocalStore store = null;
    try {
      store = new LocalStore(directory, holds, mode, config, log, closeTimeout);
      store.openSlabs();
      return store;
    } catch (IOException | RuntimeException | StoreException e) {
      if (store == null) {
        release(holds, e);
      } else {
        store.abandon(e);
      }
      throw e;
    }
  }

  private static void release(AutoCloseable holds, Exception because) {
    try {
      holds.close();
    } catch (Exception e) {
      because.addSuppressed(e);
    }
  }

  private void abandon(Exception because) {
    for (Slab slab : slabs.values()) {
      try {
        slab.close(Deadline.after(Duration.ZERO));
      } catch (IOException e) {
        because.addSuppressed(e);
      }
    }
    release(holds, because);
  }

  private void openSlabs() throws IOException, StoreException {
    for (String name : directory.names()) {
      if (name.matches("slab-[0-9]{1,10}\\.kv")) {
        int slotBytes = Integer.parseInt(name.substring(5, name.length() - 3));
        SlabFile file = SlabFile.open(directory, id, slotBytes);
        budget.count(fileBytes(file.header()));
        slabs.put(slotBytes, openSlab(file));
      }
    }
    if (budget.taken() > budget.capacity()) {
      throw new StoreException(
          StoreException.Kind.CONFIGURATION,
          "capacity: %s is less than the %d bytes that the store %s occupies; raise it, or configure an empty directory"
              .formatted(config.capacity(), budget.taken(), directory.describe("")));
    }
  }

  private Slab openSlab(SlabFile file) throws IOException {
    int growth = config.growthSlots(file.header().slotBytes());
    return Slab.open(
        directory,
        file,
        namespaces,
        new Slab.Options(config.durability(), growth),
        budget,
        Rules.KEPT);
  }

  /** What a slab file and its checkpoints take, the one being written included. */
  private static long fileBytes(Header header) {
    return header.logEnd()
        + 4L * Layout.PAGE
        + Growth.bytes(header.slots(), header.slotBytes());
  }

  @Override
  public NamespaceStore open(NamespaceManifest manifest) throws StoreException {
    synchronized (slabs) {
      checkOpen();
      for (int group = 0; group < manifest.groups(); group++) {
        checkPayload(manifest, group);
      }
      try {
        namespaces.open(manifest);
        LocalNamespace opened = new LocalNamespace(manifest, this);
        open.add(opened);
        for (int group = 0; group < manifest.groups(); group++) {
          createSlab((int) Layout.slotBytes(manifest.payloadBytes(group)));
        }
        return opened;
      } catch (IOException e) {
        throw Failures.of(e, "namespace " + manifest.id());
      }
    }
  }

  private void checkPayload(NamespaceManifest manifest, int group) throws StoreException {
    long payload = manifest.payloadBytes(group);
    if (payload < 1 || payload > MOST_PAYLOAD) {
      throw new StoreException(
          StoreException.Kind.CONFIGURATION,
          "group %d of %s: its blocks have %d bytes, a local store takes 1 to %d; choose fewer tokens per block"
              .formatted(group, manifest, payload, MOST_PAYLOAD));
    }
    Header header = Header.first(id, (int) Layout.slotBytes(payload), config.pages());
    long least = fileBytes(header) + Growth.bytes(FEWEST_SLOTS, header.slotBytes());
    if (least > config.capacity().bytes()) {
      throw new StoreException(
          StoreException.Kind.CONFIGURATION,
          "capacity: %s is too small for blocks of %d bytes; write at least %d"
              .formatted(config.capacity(), payload, least));
    }
  }

  private void createSlab(int slotBytes) throws IOException, StoreException {
    if (slabs.containsKey(slotBytes)) {
      return;
    }
    Header header = Header.first(id, slotBytes, config.pages());
    long room = fileBytes(header) + Growth.bytes(FEWEST_SLOTS, slotBytes);
    while (!budget.reserve(room)) {
      if (!dropUnused()) {
        throw new StoreException(
            StoreException.Kind.CAPACITY,
            "store %s: blocks of another size take its %s; raise the capacity, or remove namespaces"
                .formatted(directory.describe(""), config.capacity()));
      }
    }
    budget.release(Growth.bytes(FEWEST_SLOTS, slotBytes));
    try {
      slabs.put(slotBytes, openSlab(SlabFile.create(directory, header)));
    } catch (IOException e) {
      directory.delete(SlabFile.name(slotBytes) + Directory.TEMPORARY);
      budget.release(fileBytes(header));
      throw e;
    }
  }

  /** Gives up the blocks of a size that no open namespace has, so that a new size finds room. */
  private boolean dropUnused() throws IOException {
    Set<Integer> used = new java.util.HashSet<>();
    for (LocalNamespace namespace : open) {
      for (int group = 0; group < namespace.manifest().groups(); group++) {
        used.add((int) Layout.slotBytes(namespace.manifest().payloadBytes(group)));
      }
    }
    for (int slotBytes : List.copyOf(slabs.keySet())) {
      if (!used.contains(slotBytes)) {
        Slab slab = slabs.remove(slotBytes);
        slab.close(Deadline.after(closeTimeout));
        directory.delete(SlabFile.name(slotBytes));
        directory.delete(Checkpoint.name(slotBytes));
        directory.force();
        budget.release(fileBytes(slab.header()));
        log.log(Level.INFO, "store {0}: gave up blocks of {1} bytes", directory.describe(""), slotBytes);
        return true;
      }
    }
    return false;
  }

  /** The slab of blocks with that payload; it is there once a namespace that has them is open. */
  Slab slab(long payloadBytes) {
    return slabs.get((int) Layout.slotBytes(payloadBytes));
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
    NamespaceRecord record = namespaces.record(namespace);
    long blocks = 0;
    long bytes = 0;
    for (Slab slab : slabs.values()) {
      Slab.Usage usage = slab.usage(Namespaces.half(namespace));
      blocks += usage.blocks();
      bytes += usage.payloadBytes();
    }
    return new NamespaceSummary(
        namespace,
        namespaces.manifest(namespace),
        namespaces.configuration(namespace),
        record.labels(),
        blocks,
        bytes,
        record.created(),
        record.lastUsed(),
        record.supersededBy());
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
      for (Slab slab : slabs.values()) {
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
  public StoreUsage usage() {
    long blocks = 0;
    long bytes = 0;
    long leased = 0;
    for (Slab slab : slabs.values()) {
      Slab.Usage usage = slab.usage();
      blocks += usage.blocks();
      bytes += usage.payloadBytes();
      leased += usage.leasedBlocks();
    }
    return new StoreUsage(blocks, bytes, budget.taken(), budget.capacity(), leased);
  }

  @Override
  public StoreHealth health() {
    if (closed) {
      return new StoreHealth(StoreHealth.State.DOWN, "closed");
    }
    return slabs.values().stream()
        .map(this::trouble)
        .flatMap(Optional::stream)
        .findFirst()
        .map(trouble -> new StoreHealth(StoreHealth.State.DEGRADED, mode + ": " + trouble))
        .orElseGet(() -> StoreHealth.up(mode));
  }

  private Optional<String> trouble(Slab slab) {
    String name = SlabFile.name(slab.header().slotBytes());
    IOException failure = slab.failure();
    Throwable trouble = slab.trouble();
    long corrupt = slab.corruptBlocks();
    String text =
        failure != null
            ? "reads only since a write of %s failed (%s); open the store again"
                .formatted(name, failure)
            : trouble != null
                ? "the last operation on %s failed (%s); check disk and space"
                    .formatted(name, trouble)
                : corrupt > 0
                    ? "%d blocks of %s were corrupt and are out of use; check the disk"
                        .formatted(corrupt, name)
                    : null;
    return Optional.ofNullable(text);
  }

  @Override
  public FrameSource frames() {
    return FRAMES;
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
      Deadline deadline = Deadline.after(closeTimeout);
      marks.close();
      for (LocalNamespace namespace : List.copyOf(open)) {
        namespace.close();
        namespace.end(BlockStatus.CLOSED);
      }
      IOException failed = null;
      for (Slab slab : slabs.values()) {
        failed = close(slab, deadline, failed);
      }
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
