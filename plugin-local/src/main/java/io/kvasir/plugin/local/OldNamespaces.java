package io.kvasir.plugin.local;

import io.kvasir.api.Deadline;
import io.kvasir.api.identity.NamespaceId;
import io.kvasir.api.store.Store;
import io.kvasir.api.store.StoreException;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Gives up namespaces that nobody has open, those used longest ago first: by their records, never
 * by generation.
 */
final class OldNamespaces {
  private static final int MOST_NAMESPACES = 1000;

  private final Store store;
  private final Namespaces namespaces;
  private final Slabs slabs;
  private final Budget budget;
  private final Predicate<NamespaceId> isOpen;
  private final System.Logger log;
  private final Duration timeout;

  /** Something that needs room. */
  interface Attempt {
    boolean succeeds() throws IOException;
  }

  OldNamespaces(
      Store store,
      Namespaces namespaces,
      Slabs slabs,
      Budget budget,
      Predicate<NamespaceId> isOpen,
      System.Logger log,
      Duration timeout) {
    this.store = store;
    this.namespaces = namespaces;
    this.slabs = slabs;
    this.budget = budget;
    this.isOpen = isOpen;
    this.log = log;
    this.timeout = timeout;
  }

  /**
   * A full store takes another namespace: it gives up old ones, but none where all of them would
   * not be enough.
   *
   * @param bytes that the attempt needs
   */
  boolean makeRoom(long bytes, Attempt attempt) throws IOException, StoreException {
    if (attempt.succeeds()) {
      return true;
    }
    List<NamespaceId> closed = oldest(id -> true, Integer.MAX_VALUE);
    if (budget.taken() + bytes - namespaces.bytes(closed) > budget.capacity()) {
      return false;
    }
    for (NamespaceId id : closed) {
      giveUp(List.of(id), "to have room for another");
      if (attempt.succeeds()) {
        return true;
      }
    }
    return false;
  }

  /**
   * Removes namespaces that hold nothing once there are very many, as after weight updates. Where
   * that fails, as in a store that only reads, they stay.
   */
  void collect() {
    int all = namespaces.all().size();
    if (all > MOST_NAMESPACES) {
      try {
        giveUp(oldest(this::isEmpty, all - MOST_NAMESPACES * 9 / 10), "that held nothing");
      } catch (IOException | StoreException e) {
        log.log(Level.WARNING, "store {0}: {1}", namespaces.where(), e.getMessage());
      }
    }
  }

  private boolean isEmpty(NamespaceId id) {
    Bits128 half = Namespaces.half(id);
    return slabs.all().stream().allMatch(slab -> slab.usage(half).blocks() == 0);
  }

  private List<NamespaceId> oldest(Predicate<NamespaceId> which, int most) throws IOException {
    Map<NamespaceId, Instant> lastUsed = new HashMap<>();
    for (NamespaceId id : namespaces.all()) {
      if (!isOpen.test(id) && which.test(id)) {
        lastUsed.put(id, namespaces.files().record(id).lastUsed());
      }
    }
    return lastUsed.keySet().stream()
        .sorted(Comparator.comparing(lastUsed::get))
        .limit(most)
        .toList();
  }

  private void giveUp(List<NamespaceId> ids, String why) throws StoreException {
    for (NamespaceId id : ids) {
      store.remove(id, Deadline.after(timeout));
    }
    log.log(
        Level.INFO,
        "store {0}: gave up {1} namespaces {2}, used longest ago",
        namespaces.where(),
        ids.size(),
        why);
  }
}
