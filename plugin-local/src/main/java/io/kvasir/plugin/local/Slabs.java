package io.kvasir.plugin.local;

import io.kvasir.api.Deadline;
import io.kvasir.api.identity.NamespaceId;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.store.StoreException;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** The slabs of a store, by slot size, and how they share its capacity. */
final class Slabs {
  private static final long MOST_PAYLOAD = 1 << 30;
  private static final int FEWEST_SLOTS = 8;

  private final Map<Integer, Slab> bySize = new ConcurrentHashMap<>();
  private final Directory directory;
  private final LocalConfig config;
  private final System.Logger log;
  private final Duration closeTimeout;
  private final long id;
  private final Budget budget;
  private final Namespaces namespaces;
  private final Supplier<Set<Integer>> inUse;
  private final StoreThreads threads;
  private final Metrics metrics;

  /**
   * @param inUse slot sizes that open namespaces have
   */
  Slabs(
      Directory directory,
      LocalConfig config,
      System.Logger log,
      Duration closeTimeout,
      long id,
      Budget budget,
      Namespaces namespaces,
      Supplier<Set<Integer>> inUse,
      StoreThreads threads,
      Metrics metrics) {
    this.threads = threads;
    this.metrics = metrics;
    this.directory = directory;
    this.config = config;
    this.log = log;
    this.closeTimeout = closeTimeout;
    this.id = id;
    this.budget = budget;
    this.namespaces = namespaces;
    this.inUse = inUse;
  }

  Collection<Slab> all() {
    return bySize.values();
  }

  /** The slab of blocks with that payload; null if there is none, as for blocks that cannot fit. */
  Slab get(long payloadBytes) {
    return payloadBytes > MOST_PAYLOAD ? null : bySize.get((int) Layout.slotBytes(payloadBytes));
  }

  /** What all of them hold. */
  Slab.Usage usage() {
    long blocks = 0;
    long bytes = 0;
    long leased = 0;
    for (Slab slab : all()) {
      Slab.Usage usage = slab.usage();
      blocks += usage.blocks();
      bytes += usage.payloadBytes();
      leased += usage.leasedBlocks();
    }
    return new Slab.Usage(blocks, bytes, leased);
  }

  /** The slot sizes of the slab files that are there. */
  static List<Integer> sizes(Directory directory) throws IOException {
    return directory.names().stream()
        .filter(name -> name.matches("slab-[0-9]{1,10}\\.kv"))
        .map(name -> Long.valueOf(name.substring(5, name.length() - 3)))
        .filter(slotBytes -> slotBytes <= Integer.MAX_VALUE) // no store has written another
        .map(Long::intValue)
        .toList();
  }

  /** Opens what is there. */
  void openAll() throws IOException, StoreException {
    for (int slotBytes : sizes(directory)) {
      SlabFile file = SlabFile.open(directory, id, slotBytes);
      Slab slab = openFile(file);
      budget.count(bytes(slab));
      bySize.put(slotBytes, slab);
      for (Recovery.Damage damage : slab.damages()) {
        log.log(Level.WARNING, "store {0}: {1}", directory.describe(""), damage.text());
      }
    }
    checkCapacity(config, budget.taken());
  }

  static void checkCapacity(LocalConfig config, long taken) throws StoreException {
    if (taken > config.capacity().bytes()) {
      throw new StoreException(
          StoreException.Kind.CONFIGURATION,
          "capacity: %s is less than the %d bytes that the store %s occupies; raise it, or configure an empty directory"
              .formatted(config.capacity(), taken, config.directory()));
    }
  }

  private Slab openFile(SlabFile file) throws IOException {
    int growth = config.growthSlots(file.header().slotBytes());
    Orphans orphans = new Orphans(namespaces);
    Slab slab =
        Slab.open(
            directory,
            file,
            orphans,
            new Slab.Options(
                config.durability(),
                growth,
                threads,
                metrics,
                config.sightings(file.header().slotBytes())),
            new Share(this, file.header().slotBytes()),
            Rules.KEPT);
    orphans.warn(log, directory.describe(SlabFile.name(file.header().slotBytes())));
    return slab;
  }

  /**
   * A bound of what a slab file and its checkpoints take, the one being written included, with a
   * page of namespaces in each.
   */
  static long fileBytes(Header header) {
    return header.logEnd()
        + 2 * Checkpoint.FIXED_BYTES
        + Layout.PAGE // of the file system's own
        + Growth.bytes(header.slots(), header.slotBytes());
  }

  /** The same, with as many pages of namespaces as there are. */
  private static long bytes(Slab slab) {
    return fileBytes(slab.header()) + slab.morePagesOfNamespaces() * NamespaceNumbers.PAGE_BYTES;
  }

  /** Why a store of this capacity holds no block of a group; empty if it can. */
  Optional<String> refusal(NamespaceManifest manifest, int group) {
    return refusal(config, manifest, group);
  }

  static Optional<String> refusal(LocalConfig config, NamespaceManifest manifest, int group) {
    long payload = manifest.payloadBytes(group);
    if (payload < 1 || payload > MOST_PAYLOAD) {
      return Optional.of(
          "group %d of %s: its blocks have %d bytes, a local store takes 1 to %d; choose fewer tokens per block"
              .formatted(group, manifest, payload, MOST_PAYLOAD));
    }
    Header header = Header.first(0, (int) Layout.slotBytes(payload), config.pages());
    long least =
        fileBytes(header)
            + Growth.bytes(FEWEST_SLOTS, header.slotBytes())
            + LocalStore.OWN_BYTES
            + NamespaceFiles.bytes(manifest);
    return least <= config.capacity().bytes()
        ? Optional.empty()
        : Optional.of(
            "capacity: %s is too small for blocks of %d bytes; write at least %d"
                .formatted(config.capacity(), payload, least));
  }

  /** The first refusal of a group. */
  static Optional<String> refusal(LocalConfig config, NamespaceManifest manifest) {
    return IntStream.range(0, manifest.groups())
        .mapToObj(group -> refusal(config, manifest, group))
        .flatMap(Optional::stream)
        .findFirst();
  }

  /** Creates the file of a slot size, unless it is there. */
  void create(int slotBytes) throws IOException, StoreException {
    if (bySize.containsKey(slotBytes)) {
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
      bySize.put(slotBytes, openFile(SlabFile.create(directory, header)));
    } catch (IOException e) {
      directory.delete(SlabFile.name(slotBytes) + Directory.TEMPORARY);
      budget.release(fileBytes(header));
      throw e;
    }
  }

  /**
   * Gives up the blocks of a size that no open namespace has, so that a new size finds room: of the
   * size whose namespaces were used longest ago.
   */
  private boolean dropUnused() throws IOException {
    Set<Integer> used = inUse.get();
    Slab oldest = null;
    Instant oldestUse = Instant.MAX;
    for (Slab slab : all()) {
      Instant use = lastUse(slab);
      if (!used.contains(slab.header().slotBytes()) && !use.isAfter(oldestUse)) {
        oldest = slab;
        oldestUse = use;
      }
    }
    if (oldest == null) {
      return false;
    }
    int slotBytes = oldest.header().slotBytes();
    bySize.remove(slotBytes);
    oldest.close(Deadline.after(closeTimeout));
    directory.delete(SlabFile.name(slotBytes));
    directory.delete(Checkpoint.name(slotBytes));
    directory.force();
    budget.release(bytes(oldest));
    log.log(
        Level.INFO,
        "store {0}: gave up blocks of {1} bytes, last used {2}",
        directory.describe(""),
        slotBytes,
        oldestUse);
    return true;
  }

  private Instant lastUse(Slab slab) throws IOException {
    Instant last = Instant.MIN;
    for (NamespaceId id : namespaces.all()) {
      if (slab.usage(Namespaces.half(id)).blocks() > 0) {
        Instant use = namespaces.files().record(id).lastUsed();
        last = use.isAfter(last) ? use : last;
      }
    }
    return last;
  }

  /**
   * Room for the growth of one size. Each size that an open namespace has is sure of a share in
   * proportion to its slots: the groups of a model come block by block, and a prefix is as long as
   * that of the group with the fewest.
   */
  private record Share(Slabs slabs, int slotBytes) implements Space {
    @Override
    public boolean reserve(long bytes) {
      synchronized (slabs.budget) { // and not the slabs: this slab is locked
        long kept = slabs.keptForOthers(slotBytes) + slabs.namespaces.kept();
        return slabs.budget.taken() + bytes + kept <= slabs.budget.capacity()
            && slabs.budget.reserve(bytes);
      }
    }

    @Override
    public boolean reserveLittle(long bytes) {
      return slabs.budget.reserveLittle(bytes);
    }

    @Override
    public void release(long bytes) {
      slabs.budget.release(bytes);
    }
  }

  private long keptForOthers(int mine) {
    Set<Integer> used = inUse.get();
    double all = used.stream().filter(bySize::containsKey).mapToLong(Integer::longValue).sum();
    long kept = 0;
    for (int slotBytes : used) {
      Slab slab = bySize.get(slotBytes);
      if (slab != null && slotBytes != mine) {
        long share = (long) (budget.capacity() * (slotBytes / all));
        kept += Math.max(0, share - bytes(slab));
      }
    }
    return kept;
  }
}
