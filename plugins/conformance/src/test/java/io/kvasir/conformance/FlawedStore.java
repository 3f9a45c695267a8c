package io.kvasir.conformance;

import io.kvasir.api.ByteSize;
import io.kvasir.api.Deadline;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.identity.NamespaceId;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.store.FrameSource;
import io.kvasir.api.store.NamespaceStore;
import io.kvasir.api.store.NamespaceSummary;
import io.kvasir.api.store.Store;
import io.kvasir.api.store.StoreException;
import io.kvasir.api.store.StoreException.Kind;
import io.kvasir.api.store.StoreHealth;
import io.kvasir.api.store.StoreUsage;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A whole backend over a map, with at most one flaw. What a restart keeps is the {@link
 * FlawedDisk}.
 */
final class FlawedStore implements Store {
  private static final int MOST_KEPT = 200;

  record Config(Path directory, ByteSize capacity, Flaw flaw, boolean failing, boolean hanging) {}

  final Config config;
  final FlawedDisk disk;
  final List<FlawedNamespace> open = new ArrayList<>();
  final byte[] buffer = new byte[1 << 20];
  final Map<Long, byte[]> frames = new HashMap<>();
  final Set<String> evicted = new HashSet<>();
  final Set<String> removed = new HashSet<>();
  final Set<String> saving = new HashSet<>();
  final List<byte[]> read = new ArrayList<>();
  private int leases;
  boolean closed;
  boolean dead;
  String failure;

  FlawedStore(Config config, FlawedDisk disk) {
    this.config = config;
    this.disk = has(Flaw.FORGETS_AT_RESTART) ? new FlawedDisk() : disk;
    disk.opened(config.flaw(), config.directory());
  }

  boolean has(Flaw flaw) {
    return config.flaw() == flaw;
  }

  String key(BlockKeys keys, byte[] hash) {
    return FlawedKeys.key(config.flaw(), keys, hash);
  }

  void check() throws StoreException {
    if (closed && !has(Flaw.WORKS_WHEN_CLOSED)) {
      throw new StoreException(Kind.CLOSED, "closed");
    }
  }

  @Override
  public synchronized NamespaceStore open(NamespaceManifest manifest) throws StoreException {
    check();
    NamespaceId id = manifest.id();
    if (has(Flaw.TENANT_IS_A_FILE_NAME) && manifest.tenant().contains("/")) {
      throw new StoreException(Kind.IO, "no such directory: " + manifest.tenant());
    }
    FlawedDisk.Named named = disk.namespaces.get(id);
    if (named == null) {
      named = new FlawedDisk.Named(manifest);
      disk.namespaces.put(id, named);
    } else if (!Arrays.equals(named.manifest, manifest.canonical())
        && !has(Flaw.TRUSTS_ANY_MANIFEST)) {
      throw new StoreException(Kind.MISMATCH, "another manifest");
    }
    if (has(Flaw.LABELS_ARE_IDENTITY) && !named.first.labels().equals(manifest.labels())) {
      throw new StoreException(Kind.MISMATCH, "other labels");
    }
    manifest
        .supersedes()
        .map(disk.namespaces::get)
        .ifPresent(old -> old.supersededBy = manifest.id());
    disk.used(config.flaw(), config.directory(), manifest);
    FlawedNamespace namespace = new FlawedNamespace(this, named, id);
    open.add(namespace);
    return namespace;
  }

  @Override
  public synchronized List<NamespaceSummary> namespaces() throws StoreException {
    check();
    if (has(Flaw.CLAIMS_TOO_MUCH)) {
      throw StoreException.unsupported("enumerate");
    }
    List<NamespaceSummary> out = new ArrayList<>();
    disk.namespaces.forEach(
        (id, named) -> {
          List<FlawedDisk.Entry> mine =
              disk.entries.entrySet().stream()
                  .filter(e -> e.getKey().startsWith(id.hex()))
                  .map(Map.Entry::getValue)
                  .toList();
          out.add(
              new NamespaceSummary(
                  id,
                  named.manifest,
                  Optional.empty(),
                  named.labels,
                  mine.size(),
                  mine.stream().mapToLong(e -> e.bytes.length).sum(),
                  named.created,
                  Instant.now(),
                  Optional.ofNullable(named.supersededBy)));
        });
    return out;
  }

  @Override
  public synchronized void remove(NamespaceId id, Deadline deadline) throws StoreException {
    check();
    if (has(Flaw.REMOVES_NOTHING)) {
      return;
    }
    if (has(Flaw.REMOVES_EVERYTHING)) {
      disk.entries.clear();
    }
    FlawedDisk.Named named = disk.namespaces.remove(id);
    if (named == null && has(Flaw.REMOVING_THE_ABSENT_FAILS)) {
      throw new StoreException(Kind.IO, "no such namespace");
    }
    if (named != null) {
      named.removed = true;
    }
    for (String key : List.copyOf(disk.entries.keySet())) {
      if (key.startsWith(id.hex())
          && !(has(Flaw.LEASE_KEEPS_REMOVED_BLOCKS) && disk.entries.get(key).leases > 0)) {
        disk.trash.put(key, disk.entries.remove(key));
      }
    }
  }

  /** Removes a block and, as a prefix-closed store does, all that came to stand on it. */
  void drop(String key) {
    if (disk.entries.remove(key) != null && !has(Flaw.PUBLISHES_ORPHANS)) {
      for (String child : List.copyOf(disk.entries.keySet())) {
        FlawedDisk.Entry entry = disk.entries.get(child);
        if (entry != null && key.equals(entry.parent)) {
          drop(child);
        }
      }
    }
  }

  long occupied() {
    return disk.entries.values().stream().mapToLong(e -> e.bytes.length).sum();
  }

  long leasedBytes() {
    return disk.entries.values().stream()
        .filter(e -> e.leases > 0)
        .mapToLong(e -> e.bytes.length)
        .sum();
  }

  /** Evicts from the tails of the oldest chains; false if there is no room. */
  boolean makeRoom(long bytes, String parent) {
    long capacity = config.capacity().bytes();
    if (has(Flaw.PASSES_ITS_CAPACITY)
        || (bytes > capacity && !has(Flaw.EVICTS_ALL_FOR_WHAT_NEVER_FITS))) {
      return bytes <= capacity;
    }
    while (counted(bytes) > capacity) {
      String victim = null;
      for (Map.Entry<String, FlawedDisk.Entry> e : disk.entries.entrySet()) {
        boolean leased = e.getValue().leases > 0 && !has(Flaw.LEASE_KEEPS_NOTHING);
        if (!leased && !e.getKey().equals(parent) && !hasChild(e.getKey())) {
          victim = e.getKey();
          break;
        }
      }
      if (victim == null) {
        return false;
      }
      disk.entries.remove(victim);
      evicted.add(victim);
    }
    return true;
  }

  private long counted(long bytes) {
    if (has(Flaw.COUNTS_BLOCKS_NOT_BYTES) && !disk.entries.isEmpty()) {
      return (disk.entries.size() + 1L) * disk.entries.firstEntry().getValue().bytes.length;
    }
    return occupied() + bytes;
  }

  private boolean hasChild(String key) {
    return disk.entries.values().stream().anyMatch(e -> key.equals(e.parent));
  }

  @Override
  public synchronized StoreUsage usage() throws StoreException {
    check();
    if (has(Flaw.CLAIMS_TOO_MUCH)) {
      return new StoreUsage(0, 0, 0, config.capacity().bytes(), 0);
    }
    long blocks = disk.entries.size() * (has(Flaw.COUNTS_TWICE) ? 2L : 1);
    long leased = disk.entries.values().stream().filter(e -> e.leases > 0).count();
    return new StoreUsage(blocks, occupied(), occupied(), config.capacity().bytes(), leased);
  }

  @Override
  public synchronized StoreHealth health() {
    boolean up = has(Flaw.ALWAYS_UP) || (!closed && failure == null);
    boolean silent = failure == null || has(Flaw.HEALTH_WITHOUT_A_REASON);
    return new StoreHealth(
        up ? StoreHealth.State.UP : StoreHealth.State.DOWN, silent ? "map" : failure);
  }

  @Override
  public synchronized Map<String, Long> metrics() {
    if (closed && has(Flaw.METRICS_FAIL_WHEN_CLOSED)) {
      throw new IllegalStateException("closed");
    }
    return Map.of(has(Flaw.NAMES_METRICS_AS_IT_LIKES) ? "Blocks now" : "blocks", 1L);
  }

  @Override
  public Optional<String> refusal(NamespaceManifest manifest) {
    return has(Flaw.REFUSES_WHAT_IT_KEEPS) ? Optional.of("no") : Optional.empty();
  }

  @Override
  public FrameSource frames() {
    return new FrameSource() {
      @Override
      public long alignment() {
        return has(Flaw.ASKS_FOR_ODD_FRAMES) ? 48 : 64;
      }

      @Override
      public void register(MemorySegment piece) {
        if (has(Flaw.WRITES_BESIDE_FRAMES)) {
          piece.set(ValueLayout.JAVA_BYTE, piece.byteSize() - 1, (byte) 0);
        }
      }
    };
  }

  @Override
  public void close() {
    if (has(Flaw.CLOSE_WAITS_TOO_LONG)) {
      pause(6000);
    }
    synchronized (this) {
      open.forEach(FlawedNamespace::end);
      if (!closed) {
        disk.closed();
      }
      closed = true;
      notifyAll();
    }
  }

  boolean losesThisLease() {
    return has(Flaw.LOSES_A_LEASE_NOW_AND_THEN) && ++leases % 50 == 0;
  }

  /** Keeps an oversized copy: a test that lasts a moment sees little leaks only if they are big. */
  void keep(byte[] block) {
    if (has(Flaw.KEEPS_WHAT_IT_READ) && read.size() < MOST_KEPT) {
      read.add(Arrays.copyOf(block, 1 << 20));
    }
  }

  /** Leaves the store to other threads for a moment. */
  synchronized void awaitAnother() {
    long end = System.nanoTime() + 2_000_000;
    try {
      for (long left = 2; left > 0; left = (end - System.nanoTime()) / 1_000_000) {
        wait(left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  static void pause(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
