package io.kvasir.plugin.local;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.ByteSize;
import io.kvasir.api.Deadline;
import io.kvasir.api.format.Dtype;
import io.kvasir.api.format.KvFormat;
import io.kvasir.api.format.KvGroup;
import io.kvasir.api.format.ModelConfiguration;
import io.kvasir.api.format.Shards;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.identity.ChainHasher;
import io.kvasir.api.identity.KeyChain;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.identity.RequestScope;
import io.kvasir.api.identity.Weights;
import io.kvasir.api.store.BlockLease;
import io.kvasir.api.store.Blocks;
import io.kvasir.api.store.DeviceMemory;
import io.kvasir.api.store.Frame;
import io.kvasir.api.store.NamespaceStore;
import io.kvasir.api.store.StoreContext;
import io.kvasir.api.store.StoreException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.ResourceBundle;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Namespaces, keys and bytes for tests of a whole store. */
final class Fixture {
  /** As much as anybody wants. */
  static final Space SPACE =
      new Space() {
        @Override
        public boolean reserve(long bytes) {
          return true;
        }

        @Override
        public void release(long bytes) {}
      };

  /** Hears everything and says nothing: faults are the point of these tests. */
  static final System.Logger LOG =
      new System.Logger() {
        @Override
        public String getName() {
          return "test";
        }

        @Override
        public boolean isLoggable(Level level) {
          return false;
        }

        @Override
        public void log(Level level, ResourceBundle bundle, String message, Throwable thrown) {}

        @Override
        public void log(Level level, ResourceBundle bundle, String format, Object... params) {}
      };

  /** All work is done as the caller's thread comes to it. */
  static final StoreThreads THREADS =
      new StoreThreads(Runnable::run, Runnable::run, IoMemory.PLAIN);

  /** What the core gives at opening; its log is {@link #LOG} unless a test listens. */
  record Context(LocalConfig config, System.Logger logger) implements StoreContext {
    Context(LocalConfig config) {
      this(config, LOG);
    }

    @Override
    public <C extends Record> C configuration(Class<C> type) {
      return type.cast(config);
    }

    @Override
    public Duration closeTimeout() {
      return CLOSE;
    }
  }

  /** Every file of a directory, the lock aside: closing what reads it would drop the lock. */
  static Map<String, byte[]> content(Path directory) throws IOException {
    Map<String, byte[]> content = new TreeMap<>();
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.toList()) {
        if (!file.endsWith(DirectoryLock.NAME) && Files.isRegularFile(file)) {
          content.put(file.getFileName().toString(), Files.readAllBytes(file));
        }
      }
    }
    return content;
  }

  static final Duration CLOSE = Duration.ofSeconds(10);
  private static final int BLOCK_TOKENS = 16;

  private Fixture() {}

  static LocalConfig config(Path directory, long capacity) {
    return config(directory, capacity, Durability.BATCH);
  }

  static LocalConfig config(Path directory, long capacity, Durability durability) {
    return config(directory, capacity, durability, Admission.ALL);
  }

  static LocalConfig config(
      Path directory, long capacity, Durability durability, Admission admission) {
    return new LocalConfig(
        directory,
        new ByteSize(capacity),
        durability,
        new ByteSize(0),
        16,
        new ByteSize(1 << 16),
        admission,
        new ByteSize(0),
        DeviceMemory.Way.AUTO);
  }

  /** A slab whose work its callers do themselves. */
  static Slab.Options slab() {
    return new Slab.Options(Durability.BATCH, 1, THREADS, new Metrics(), null);
  }

  static LocalStore open(Path directory) throws IOException, StoreException {
    return open(config(directory, 64 << 20));
  }

  static LocalStore open(LocalConfig config) throws IOException, StoreException {
    return Opening.open(config, IoMemory.PLAIN, LOG, CLOSE);
  }

  /** A store in memory that can crash. */
  static LocalStore open(Directory disk, Durability durability) throws IOException, StoreException {
    return Opening.open(
        disk, () -> {}, "test", config(Path.of("x"), 16 << 20, durability), THREADS, LOG, CLOSE);
  }

  /** A namespace whose blocks have {@code layers} × 4096 bytes. */
  static NamespaceManifest manifest(String tenant, int layers) {
    return manifest(tenant, layers, Map.of("layers", (long) layers));
  }

  static NamespaceManifest manifest(String tenant, int layers, Map<String, Object> configuration) {
    KvGroup group =
        KvGroup.full(
            0, BLOCK_TOKENS, IntStream.range(0, layers).boxed().toList(), 1, 64, Dtype.BF16);
    return NamespaceManifest.of(
        tenant,
        new Weights.BaseContent("sha256:" + "ab".repeat(32)),
        KvFormat.of(
            ModelConfiguration.of(configuration),
            new KvFormat.Compute("bf16", "bf16"),
            "test",
            "layer-kv-token-head/1",
            List.of(group),
            new Shards.KvHead(1)));
  }

  /** The keys of a chain of blocks; another prompt, another chain. */
  static BlockKeys keys(NamespaceManifest manifest, int prompt, int blocks) {
    KeyChain chain =
        new KeyChain(
            manifest, new ChainHasher(manifest.id(), RequestScope.NONE), BLOCK_TOKENS, List.of());
    for (int i = 0; i < blocks * BLOCK_TOKENS; i++) {
      chain.append(i == 0 ? prompt : i);
    }
    return chain.keys(0, 0, 0, blocks);
  }

  static Blocks frames(BlockKeys keys) {
    List<Frame> frames = new ArrayList<>();
    for (int i = 0; i < keys.count(); i++) {
      MemorySegment memory =
          Arena.ofAuto().allocate(Layout.slotBytes(keys.payloadBytes()), Layout.PAGE);
      frames.add(new Frame(memory, keys.payloadBytes()));
    }
    return new Blocks(keys, frames);
  }

  /** Frames that hold what belongs under their keys. */
  static Blocks filled(BlockKeys keys) {
    Blocks blocks = frames(keys);
    for (int i = 0; i < keys.count(); i++) {
      blocks.frame(i).payload().copyFrom(bytes(keys, i));
    }
    return blocks;
  }

  static MemorySegment bytes(BlockKeys keys, int block) {
    byte[] bytes = new byte[(int) keys.payloadBytes()];
    MemorySegment hash = MemorySegment.ofArray(keys.hash(block));
    new Random(hash.get(ValueLayout.JAVA_LONG_UNALIGNED, 0)).nextBytes(bytes);
    return MemorySegment.ofArray(bytes);
  }

  static Blocks save(NamespaceStore namespace, BlockKeys keys) {
    Blocks blocks = filled(keys);
    namespace.save(blocks, Deadline.never());
    return blocks;
  }

  static Blocks load(NamespaceStore namespace, BlockKeys keys) throws StoreException {
    Blocks blocks = frames(keys);
    try (BlockLease lease = namespace.lookup(keys, Deadline.never())) {
      namespace.load(lease, blocks, Deadline.never());
    }
    return blocks;
  }

  static int count(Blocks blocks, BlockStatus status) {
    return (int) IntStream.range(0, blocks.count()).filter(i -> blocks.status(i) == status).count();
  }

  static boolean holdsItsBytes(Blocks blocks, int block) {
    return blocks.frame(block).payload().mismatch(bytes(blocks.keys(), block)) < 0;
  }
}
