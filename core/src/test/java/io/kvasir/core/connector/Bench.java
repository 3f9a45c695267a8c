package io.kvasir.core.connector;

import io.kvasir.api.ByteSize;
import io.kvasir.api.Deadline;
import io.kvasir.api.GroupedBlocks;
import io.kvasir.api.KvRequest;
import io.kvasir.api.PagedBlocks;
import io.kvasir.api.PrefixMatch;
import io.kvasir.api.Region;
import io.kvasir.api.SaveResult;
import io.kvasir.api.format.Dtype;
import io.kvasir.api.format.GroupKind;
import io.kvasir.api.format.HitRule;
import io.kvasir.api.format.KvFormat;
import io.kvasir.api.format.KvGroup;
import io.kvasir.api.format.ModelConfiguration;
import io.kvasir.api.format.Shards;
import io.kvasir.api.identity.BlockHasher;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.identity.ChainHasher;
import io.kvasir.api.identity.IdentityPolicy;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.identity.RequestScope;
import io.kvasir.api.identity.Weights;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

/** Deployments, memory and waiting for the tests of the connector. */
final class Bench {
  /** Bytes of a block of {@link #DEPLOYMENT}: 2 layers, K and V, 4 tokens, 1 head of 8, 2 bytes. */
  static final int BLOCK = 2 * 2 * 4 * 8 * 2;

  static final int TOKENS = 4;
  static final Weights BASE = Weights.named("tiny", "r1");
  static final NamespaceManifest DEPLOYMENT =
      deployment(BASE, Shards.ONE, KvGroup.full(0, TOKENS, List.of(0, 1), 1, 8, Dtype.BF16));

  /** The project's own identity. */
  static final IdentityPolicy STRICT =
      new IdentityPolicy() {
        @Override
        public String name() {
          return "strict";
        }

        @Override
        public IdentityPolicy configured(Map<String, Object> settings) {
          return this;
        }

        @Override
        public BlockHasher hasher(NamespaceManifest namespace, RequestScope scope) {
          return new ChainHasher(namespace.id(), scope);
        }

        @Override
        public String key(BlockKeys keys, int block) {
          return keys.flatKey(block);
        }
      };

  private Bench() {}

  static NamespaceManifest deployment(Weights weights, Shards shards, KvGroup... groups) {
    return NamespaceManifest.of(
        "acme",
        weights,
        KvFormat.of(
            ModelConfiguration.of(Map.of("layers", 2)),
            new KvFormat.Compute("bf16", "bf16"),
            "paged-engine",
            "layer-kv-token-head/1",
            List.of(groups),
            shards));
  }

  static KvGroup sliding(int id, int tokens, int window) {
    return new KvGroup(
        id,
        GroupKind.SLIDING,
        HitRule.trailing(window),
        tokens,
        window,
        null,
        null,
        List.of(id),
        1,
        8,
        8,
        Dtype.BF16,
        Dtype.BF16,
        null);
  }

  /** Settings for a test: small, and patient where the test does not look. */
  static Settings settings() {
    return new Settings();
  }

  /** Settings one by one. */
  static final class Settings {
    Duration lookup = Duration.ofSeconds(20);
    Duration load = Duration.ofSeconds(20);
    Duration save = Duration.ofSeconds(20);
    Duration open = Duration.ofSeconds(20);
    Duration close = Duration.ofSeconds(20);
    int loadWorkers = 2;
    int saveWorkers = 2;
    int stuckWorkers = 4;
    int batch = 2;
    long frames = 64L * BLOCK;
    long queue = 1 << 20;
    int failures = 3;
    Duration breaker = Duration.ofMillis(50);
    Duration failedLoad = Duration.ofMillis(100);

    ConnectorSettings build() {
      return new ConnectorSettings(
          lookup,
          load,
          Duration.ofSeconds(60),
          save,
          open,
          close,
          loadWorkers,
          saveWorkers,
          stuckWorkers,
          batch,
          new ByteSize(frames),
          new ByteSize(queue),
          failures,
          breaker,
          failedLoad,
          Duration.ofMinutes(1));
    }

    Connector open(ScriptedStore store) {
      return open(store, DEPLOYMENT);
    }

    Connector open(ScriptedStore store, NamespaceManifest deployment) {
      return Connector.open(build(), store, deployment, STRICT, true);
    }
  }

  static Deadline soon() {
    return Deadline.after(Duration.ofSeconds(Integer.getInteger("bench.patience", 20)));
  }

  static Deadline in(int millis) {
    return Deadline.after(Duration.ofMillis(millis));
  }

  /** {@return a prompt of so many tokens} */
  static int[] prompt(int tokens) {
    return IntStream.range(1000, 1000 + tokens).toArray();
  }

  /** {@return memory for blocks 0 to n of the first group, each filled with a byte of its own} */
  static PagedBlocks memory(int blocks, int fill) {
    MemorySegment segment = Arena.ofAuto().allocate((long) blocks * BLOCK, 64);
    for (int b = 0; b < blocks; b++) {
      segment.asSlice((long) b * BLOCK, BLOCK).fill((byte) (fill == 0 ? 0 : fill + b));
    }
    return paged(segment, 0, blocks, BLOCK);
  }

  static PagedBlocks paged(MemorySegment segment, int first, int blocks, long blockBytes) {
    return new PagedBlocks(
        first,
        List.of(PagedBlocks.Plane.of(Region.host(segment), 0, blockBytes)),
        IntStream.range(0, blocks).toArray());
  }

  /** {@return memory for every part of a deployment, blocks 0 on, for so many tokens} */
  static GroupedBlocks grouped(NamespaceManifest deployment, int tokens, int fill) {
    Map<GroupedBlocks.Part, io.kvasir.api.BlockMemory> parts = new HashMap<>();
    for (KvGroup group : deployment.format().groups()) {
      for (int shard = 0; shard < deployment.shards(); shard++) {
        long bytes = deployment.payloadBytes(group.id());
        int blocks = tokens / group.blockTokens();
        MemorySegment segment = Arena.ofAuto().allocate(blocks * bytes, 64);
        for (int b = 0; b < blocks; b++) {
          int value = fill == 0 ? 0 : fill + b + 16 * group.id() + 64 * shard;
          segment.asSlice(b * bytes, bytes).fill((byte) value);
        }
        parts.put(new GroupedBlocks.Part(group.id(), shard), paged(segment, 0, blocks, bytes));
      }
    }
    return new GroupedBlocks(parts);
  }

  static MemorySegment segment(PagedBlocks memory) {
    return ((Region.Host) memory.planes().getFirst().region()).memory();
  }

  /** {@return the first byte of a block} */
  static int at(PagedBlocks memory, int block) {
    return segment(memory)
        .get(ValueLayout.JAVA_BYTE, memory.planes().getFirst().at(memory.row(block), 0));
  }

  static boolean untouched(PagedBlocks memory, int block, int value) {
    long from = memory.planes().getFirst().at(memory.row(block), 0);
    for (long i = 0; i < BLOCK; i++) {
      if (segment(memory).get(ValueLayout.JAVA_BYTE, from + i) != (byte) value) {
        return false;
      }
    }
    return true;
  }

  /** Saves a prompt's blocks, and waits. */
  static SaveResult fill(Connector connector, int blocks, int fill) {
    try (KvRequest request = connector.request(RequestScope.NONE, prompt(blocks * TOKENS))) {
      return request.save(memory(blocks, fill), io.kvasir.api.Fence.none()).await(soon());
    }
  }

  static PrefixMatch lookup(KvRequest request) {
    return request.lookup().await(soon());
  }

  /** Waits until something holds. */
  static void until(String what, BooleanSupplier condition) {
    Deadline deadline = soon();
    while (!condition.getAsBoolean()) {
      if (deadline.expired()) {
        throw new AssertionError("never: " + what);
      }
      try {
        Thread.sleep(1);
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }
}
