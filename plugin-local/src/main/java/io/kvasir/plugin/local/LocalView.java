package io.kvasir.plugin.local;

import io.kvasir.api.identity.NamespaceId;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.store.NamespaceSummary;
import io.kvasir.api.store.StoreException;
import io.kvasir.api.store.StoreHealth;
import io.kvasir.api.store.StoreUsage;
import io.kvasir.api.store.StoreView;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A store directory as it lies, without its lock: beside an owner that writes, the counts lag
 * behind it. Each call reads the files anew.
 */
final class LocalView implements StoreView {
  private final LocalConfig config;
  private final Directory directory;
  private volatile boolean closed;

  private LocalView(LocalConfig config) {
    this.config = config;
    this.directory = new ReadOnlyDirectory(config.directory());
  }

  /** Looks whether the store could be opened, as far as its files say. */
  static LocalView of(LocalConfig config) throws IOException, StoreException {
    DiskDirectory.check(config.directory());
    LocalView view = new LocalView(config);
    if (view.isThere()) {
      Slabs.checkCapacity(config, view.count().occupied);
    }
    return view;
  }

  private boolean isThere() throws IOException {
    if (!Files.exists(config.directory())) {
      return false;
    }
    StoreFile.refuseForeign(directory);
    return StoreFile.isThere(directory);
  }

  @Override
  public List<NamespaceSummary> namespaces() throws StoreException {
    Count count = counted();
    NamespaceFiles files = new NamespaceFiles(directory);
    List<NamespaceSummary> out = new ArrayList<>();
    try {
      for (NamespaceId id : count.namespaces) {
        Slab.Usage usage = count.usage.getOrDefault(Namespaces.half(id), new Slab.Usage(0, 0, 0));
        try {
          out.add(files.summary(id, usage.blocks(), usage.payloadBytes()));
        } catch (NoSuchFileException e) {
          // its owner has removed it since
        }
      }
      return out;
    } catch (IOException e) {
      throw Failures.of(e, "store " + config.directory());
    }
  }

  @Override
  public StoreUsage usage() throws StoreException {
    Count count = counted();
    long blocks = count.usage.values().stream().mapToLong(Slab.Usage::blocks).sum();
    long bytes = count.usage.values().stream().mapToLong(Slab.Usage::payloadBytes).sum();
    return new StoreUsage(blocks, bytes, count.occupied, config.capacity().bytes(), 0);
  }

  @Override
  public StoreHealth health() {
    if (closed) {
      return StoreHealth.down("closed");
    }
    try {
      if (!isThere()) {
        return StoreHealth.up("not there yet; the first engine that opens it creates it");
      }
      OptionalLong owner = DirectoryLock.owner(config.directory());
      return StoreHealth.up(
          "read from its files"
              + (owner.isEmpty()
                  ? ""
                  : "; process %d may have it open, and what it wrote last may be missing here"
                      .formatted(owner.getAsLong())));
    } catch (IOException e) {
      return StoreHealth.down(e.getMessage());
    }
  }

  @Override
  public Optional<String> refusal(NamespaceManifest manifest) {
    return Slabs.refusal(config, manifest);
  }

  @Override
  public void close() {
    closed = true;
  }

  private Count counted() throws StoreException {
    if (closed) {
      throw new StoreException(StoreException.Kind.CLOSED, "the store is closed");
    }
    try {
      return isThere() ? count() : new Count();
    } catch (IOException e) {
      throw Failures.of(e, "store " + config.directory());
    }
  }

  private static final class Count {
    final List<NamespaceId> namespaces = new ArrayList<>();
    final Map<Bits128, Slab.Usage> usage = new HashMap<>();
    long occupied;

    void add(Map<Bits128, Slab.Usage> slab) {
      slab.forEach(
          (namespace, more) ->
              usage.merge(
                  namespace,
                  more,
                  (a, b) ->
                      new Slab.Usage(
                          a.blocks() + b.blocks(), a.payloadBytes() + b.payloadBytes(), 0)));
    }
  }

  private Count count() throws IOException {
    Count count = new Count();
    count.occupied = LocalStore.OWN_BYTES;
    NamespaceFiles files = new NamespaceFiles(directory);
    for (NamespaceId id : files.all()) {
      try {
        count.occupied += files.bytes(id);
        count.namespaces.add(id);
      } catch (NoSuchFileException e) {
        // its owner has removed it since
      }
    }
    long store = StoreFile.read(directory);
    for (int slotBytes : Slabs.sizes(directory)) {
      try (SlabFile file = SlabFile.open(directory, store, slotBytes)) {
        count.occupied += Slabs.fileBytes(file.header());
        count.add(SlabCensus.of(directory, file));
      } catch (NoSuchFileException e) {
        // its owner has given its blocks up since
      }
    }
    return count;
  }
}
