package io.kvasir.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.fail;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.ByteSize;
import io.kvasir.api.Deadline;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.store.BlockLease;
import io.kvasir.api.store.Blocks;
import io.kvasir.api.store.Capabilities;
import io.kvasir.api.store.NamespaceStore;
import io.kvasir.api.store.Store;
import io.kvasir.api.store.StoreException;
import io.kvasir.api.store.StoreProvider;
import io.kvasir.api.store.StoreView;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.ToLongFunction;

/**
 * The store under test in one test: opens it, saves and loads blocks whose bytes follow from their
 * key, and compares. Made by a {@link StoreContract} for each test.
 */
public final class StoreBench implements AutoCloseable {
  private final Path directory;
  private final StoreProvider provider;
  private final Record configuration;
  private final ByteSize capacity;
  private final long blockBytes;
  private final Optional<DeviceDetour> detour;
  private Store store;
  private TestFrames frames;

  StoreBench(
      Path directory,
      StoreProvider provider,
      Record configuration,
      ByteSize capacity,
      long blockBytes,
      Optional<DeviceDetour> detour) {
    this.directory = directory;
    this.detour = detour;
    this.provider = provider;
    this.configuration = configuration;
    this.capacity = capacity;
    this.blockBytes = blockBytes;
  }

  /** {@return what the backend claims} */
  public Capabilities claims() {
    return provider.descriptor().capabilities();
  }

  /** {@return the folder that the store was configured with, if it has one} */
  public Path directory() {
    return directory;
  }

  /** {@return another bench on the same configuration, which the caller closes} */
  public StoreBench beside() {
    return at(directory, configuration);
  }

  StoreBench at(Path otherDirectory, Record otherConfiguration) {
    return new StoreBench(
        otherDirectory, provider, otherConfiguration, capacity, blockBytes, detour);
  }

  /** {@return the backend's entry} */
  public StoreProvider provider() {
    return provider;
  }

  /** {@return the size that the store was configured with} */
  public ByteSize capacity() {
    return capacity;
  }

  /** {@return the bytes of a block in most rules} */
  public long blockBytes() {
    return blockBytes;
  }

  /** {@return a size of blocks of which a small store holds sixteen: a multiple of 64} */
  public long atMost(long wanted) {
    return Math.min(wanted, Math.max(64, capacity.bytes() / 16 / 64 * 64));
  }

  /** {@return the number of blocks that fit if a block costs nothing but its payload} */
  public int capacityBlocks() {
    return (int) (capacity.bytes() / blockBytes);
  }

  /** {@return the store, opened when it is first asked for} */
  public Store store() throws StoreException {
    if (store == null) {
      store = provider.open(new TestContext(configuration));
      frames = new TestFrames(store.frames());
    }
    return store;
  }

  /** {@return a view of the store, which the caller closes} */
  public StoreView view() throws StoreException {
    return provider.inspect(new TestContext(configuration));
  }

  /** Closes the store and opens it again with the same configuration. */
  public Store reopen() throws StoreException {
    shut();
    return store();
  }

  /** Closes the store if it is open. */
  public void shut() throws StoreException {
    if (store != null) {
      frames.checkGuards();
      store.close();
      frames.close();
      store = null;
    }
  }

  /** {@return the frames of the open store} */
  public TestFrames frames() {
    return frames;
  }

  /** {@return a manifest of a tenant, with blocks of {@link #blockBytes()}} */
  public NamespaceManifest manifest(String tenant) {
    return Manifests.of(tenant, blockBytes);
  }

  /** {@return an open namespace of a tenant} */
  public NamespaceStore open(String tenant) throws StoreException {
    return store().open(manifest(tenant));
  }

  /** {@return a deadline that no rule should reach} */
  public static Deadline soon() {
    return Deadline.after(Duration.ofSeconds(10));
  }

  /** {@return the number that the bytes of a key's block follow from} */
  public static long number(BlockKeys keys, int block) {
    long number = 0;
    for (byte b : keys.fingerprint(block)) {
      number = number * 257 + b;
    }
    return number;
  }

  /** {@return new frames for these keys, filled by {@code number}} */
  public Blocks filled(BlockKeys keys, ToLongFunction<Integer> number) {
    Blocks blocks = empty(keys);
    for (int i = 0; i < keys.count(); i++) {
      MemorySegment payload = blocks.frame(i).payload();
      long value = number.applyAsLong(i);
      detour.ifPresentOrElse(
          d -> d.fill(store.transferPaths(), payload, value), () -> Payload.fill(payload, value));
    }
    return blocks;
  }

  /** {@return new frames for these keys, zeroed} */
  public Blocks empty(BlockKeys keys) {
    return new Blocks(keys, frames.frames(keys.count(), keys.payloadBytes()));
  }

  /** Saves blocks whose bytes follow from their keys, without looking at what came of it. */
  public Blocks trySave(NamespaceStore namespace, BlockKeys keys) {
    Blocks blocks = filled(keys, i -> number(keys, i));
    namespace.save(blocks, soon());
    allHaveStatus(blocks);
    return blocks;
  }

  /** Saves blocks whose bytes follow from their keys; each must end {@code OK}. */
  public void save(NamespaceStore namespace, BlockKeys keys) {
    all(BlockStatus.OK, trySave(namespace, keys));
  }

  /** {@return the blocks after a lookup and a load; those that are {@code OK} are compared} */
  public Blocks load(NamespaceStore namespace, BlockKeys keys) throws StoreException {
    Blocks blocks = empty(keys);
    try (BlockLease lease = namespace.lookup(keys, soon())) {
      namespace.load(lease, blocks, soon());
    }
    allHaveStatus(blocks);
    compare(blocks);
    for (int i = 0; i < blocks.count() && detour.isPresent(); i++) {
      if (blocks.status(i) == BlockStatus.OK) {
        detour.get().check(store.transferPaths(), blocks.frame(i).payload());
      }
    }
    return blocks;
  }

  /** Fails unless all blocks are found and load with the bytes of their keys. */
  public void hit(NamespaceStore namespace, BlockKeys keys) throws StoreException {
    try (BlockLease lease = namespace.lookup(keys, soon())) {
      assertEquals(keys.count(), lease.prefix(), "blocks found of " + keys);
    }
    all(BlockStatus.OK, load(namespace, keys));
  }

  /** Fails if one of the blocks is found, or loads as anything but {@code MISS}. */
  public void miss(NamespaceStore namespace, BlockKeys keys) throws StoreException {
    try (BlockLease lease = namespace.lookup(keys, soon())) {
      for (int i = 0; i < keys.count(); i++) {
        if (lease.present(i)) {
          fail("found block " + i + " of " + keys + ", which nobody stored");
        }
      }
    }
    all(BlockStatus.MISS, load(namespace, keys));
  }

  /** {@return how many of the blocks load {@code OK}, with the bytes of their keys} */
  public int loadable(NamespaceStore namespace, BlockKeys keys) throws StoreException {
    Blocks blocks = load(namespace, keys);
    int ok = 0;
    for (int i = 0; i < blocks.count(); i++) {
      ok += blocks.status(i) == BlockStatus.OK ? 1 : 0;
    }
    return ok;
  }

  /** Fails if a block that is {@code OK} has other bytes than those of its key. */
  public static void compare(Blocks blocks) {
    for (int i = 0; i < blocks.count(); i++) {
      if (blocks.status(i) == BlockStatus.OK) {
        long wrong = Payload.firstWrong(blocks.frame(i).payload(), number(blocks.keys(), i));
        assertEquals(-1, wrong, "first wrong byte of block " + i + ", which is OK: " + blocks);
      }
    }
  }

  /** Fails unless each block has this status. */
  public static void all(BlockStatus status, Blocks blocks) {
    for (int i = 0; i < blocks.count(); i++) {
      if (blocks.status(i) != status) {
        throw new AssertionError(
            "block %d is %s instead of %s".formatted(i, blocks.status(i), status), blocks.cause(i));
      }
    }
  }

  /** Fails if a block has no status. */
  public static void allHaveStatus(Blocks blocks) {
    for (int i = 0; i < blocks.count(); i++) {
      assertNotNull(blocks.status(i), "status of block " + i + " after the call returned");
    }
  }

  @Override
  public void close() throws StoreException {
    shut();
  }
}
