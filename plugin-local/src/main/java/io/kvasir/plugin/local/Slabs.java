package io.kvasir.plugin.local;

import io.kvasir.api.Deadline;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.store.StoreException;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
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
      Supplier<Set<Integer>> inUse) {
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

  /** The slot sizes of the slab files that are there. */
  static List<Integer> sizes(Directory directory) throws IOException {
    return directory.names().stream()
        .filter(name -> name.matches("slab-[0-9]{1,10}\\.kv"))
        .map(name -> Integer.valueOf(name.substring(5, name.length() - 3)))
        .toList();
  }

  /** Opens what is there. */
  void openAll() throws IOException, StoreException {
    for (int slotBytes : sizes(directory)) {
      SlabFile file = SlabFile.open(directory, id, slotBytes);
      budget.count(fileBytes(file.header()));
      bySize.put(slotBytes, openFile(file));
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
            new Slab.Options(config.durability(), growth),
            budget,
            Rules.KEPT);
    orphans.warn(log, directory.describe(SlabFile.name(file.header().slotBytes())));
    return slab;
  }

  /** What a slab file and its checkpoints take, the one being written included. */
  static long fileBytes(Header header) {
    return header.logEnd() + 4L * Layout.PAGE + Growth.bytes(header.slots(), header.slotBytes());
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
    long least = fileBytes(header) + Growth.bytes(FEWEST_SLOTS, header.slotBytes());
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

  /** Gives up the blocks of a size that no open namespace has, so that a new size finds room. */
  private boolean dropUnused() throws IOException {
    Set<Integer> used = inUse.get();
    for (int slotBytes : List.copyOf(bySize.keySet())) {
      if (!used.contains(slotBytes)) {
        Slab slab = bySize.remove(slotBytes);
        slab.close(Deadline.after(closeTimeout));
        directory.delete(SlabFile.name(slotBytes));
        directory.delete(Checkpoint.name(slotBytes));
        directory.force();
        budget.release(fileBytes(slab.header()));
        log.log(
            Level.INFO,
            "store {0}: gave up blocks of {1} bytes",
            directory.describe(""),
            slotBytes);
        return true;
      }
    }
    return false;
  }
}
