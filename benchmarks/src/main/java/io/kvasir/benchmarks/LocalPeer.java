package io.kvasir.benchmarks;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.Deadline;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.store.BlockLease;
import io.kvasir.api.store.Blocks;
import io.kvasir.api.store.NamespaceStore;
import io.kvasir.api.store.Store;
import io.kvasir.api.store.StoreException;
import io.kvasir.api.store.StoreProvider;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/** A backend of Kvasir, by its SPI. */
final class LocalPeer implements Peer {
  private final Path directory;
  private final Store store;
  private final NamespaceStore namespace;

  LocalPeer(Path directory, long capacity, NamespaceManifest manifest) throws StoreException {
    this.directory = directory;
    this.store =
        open(
            "local",
            Map.of("directory", directory.toString(), "capacity", Long.toString(capacity)));
    this.namespace = store.open(manifest);
  }

  /** Opens the store of a name with these settings. */
  static Store open(String name, Map<String, String> settings) throws StoreException {
    return ServiceLoader.load(StoreProvider.class).stream()
        .map(ServiceLoader.Provider::get)
        .filter(provider -> provider.descriptor().name().equals(name))
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("no store " + name + " on the class path"))
        .open(new StoreSettings(settings));
  }

  @Override
  public void put(Blocks from) throws IOException {
    namespace.save(from, Deadline.never());
    check(from);
  }

  @Override
  public void get(Blocks into) throws IOException, StoreException {
    try (BlockLease lease = namespace.lookup(into.keys(), Deadline.never())) {
      namespace.load(lease, into, Deadline.never());
    }
    check(into);
  }

  private static void check(Blocks blocks) throws IOException {
    for (int i = 0; i < blocks.count(); i++) {
      if (blocks.status(i) != BlockStatus.OK) {
        throw new IOException(
            "block %d of %s: %s".formatted(i, blocks.keys(), blocks.status(i)), blocks.cause(i));
      }
    }
  }

  /** The slots of the store's own file, as {@code plugin-local/FORMAT.md} lays them out. */
  @Override
  public Region region(int blocks, int blockBytes) throws IOException {
    Path slab;
    try (Stream<Path> files = Files.list(directory)) {
      slab = files.filter(f -> f.toString().endsWith(".kv")).findFirst().orElseThrow();
    }
    ByteBuffer even = header(slab, 0);
    ByteBuffer odd = header(slab, 4096);
    ByteBuffer newer = even.getLong(32) > odd.getLong(32) ? even : odd;
    int slotBytes = newer.getInt(16);
    int slots = newer.getInt(28);
    if (slots < blocks || slotBytes < blockBytes) {
      throw new IOException(
          "%s has %d slots of %d bytes, too few for %d blocks of %d"
              .formatted(slab, slots, slotBytes, blocks, blockBytes));
    }
    long first = newer.getLong(40);
    return new Region(
        slab, LongStream.range(0, slots).map(i -> first + i * slotBytes).boxed().toList());
  }

  private static ByteBuffer header(Path slab, long at) throws IOException {
    try (FileChannel channel = FileChannel.open(slab)) {
      ByteBuffer page = ByteBuffer.allocate(4096).order(ByteOrder.LITTLE_ENDIAN);
      channel.read(page, at);
      return page;
    }
  }

  @Override
  public void close() throws IOException {
    try (store) {
      namespace.close();
    } catch (StoreException e) {
      throw new IOException("closing " + directory, e);
    }
  }
}
