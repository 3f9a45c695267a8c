package io.kvasir.benchmarks.compare;

import io.kvasir.api.Deadline;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.store.BlockLease;
import io.kvasir.api.store.Blocks;
import io.kvasir.api.store.NamespaceStore;
import io.kvasir.api.store.Store;
import io.kvasir.api.store.StoreException;
import io.kvasir.benchmarks.common.Stores;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/** A backend of Kvasir, by its SPI. */
final class LocalPeer implements Peer {
  private final Path directory;
  private final Store store;
  private final NamespaceStore namespace;

  LocalPeer(Path directory, long capacity, NamespaceManifest manifest) throws StoreException {
    this.directory = directory;
    // raw rounds write over blocks of the store: its scrub would find that and go to work
    this.store =
        Stores.open(
            "local",
            Map.of("directory", directory.toString(), "capacity", "" + capacity, "scrub", "0"));
    this.namespace = store.open(manifest);
  }

  @Override
  public void put(Blocks from) throws IOException {
    namespace.save(from, Deadline.never());
    Stores.check(from);
  }

  @Override
  public void get(Blocks into) throws IOException, StoreException {
    try (BlockLease lease = namespace.lookup(into.keys(), Deadline.never())) {
      namespace.load(lease, into, Deadline.never());
    }
    Stores.check(into);
  }

  @Override
  public int prefix(BlockKeys keys) throws StoreException {
    try (BlockLease lease = namespace.lookup(keys, Deadline.never())) {
      return lease.prefix();
    }
  }

  /** The slots of the store's own file, as {@code plugin-local/FORMAT.md} lays them out. */
  @Override
  public Optional<Region> region() throws IOException {
    Path slab;
    try (Stream<Path> files = Files.list(directory)) {
      slab = files.filter(f -> f.toString().endsWith(".kv")).findFirst().orElseThrow();
    }
    ByteBuffer even = header(slab, 0);
    ByteBuffer odd = header(slab, 4096);
    ByteBuffer newer = even.getLong(32) > odd.getLong(32) ? even : odd;
    long slotBytes = newer.getInt(16);
    long first = newer.getLong(40);
    List<Long> positions =
        LongStream.range(0, newer.getInt(28)).map(i -> first + i * slotBytes).boxed().toList();
    return Optional.of(new Region(slab, positions));
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
