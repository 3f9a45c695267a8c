package io.kvasir.cli.bench;

import io.kvasir.api.BlockStatus;
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
import io.kvasir.api.store.Frame;
import io.kvasir.api.store.NamespaceStore;
import io.kvasir.api.store.Store;
import io.kvasir.api.store.StoreException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** A store under as many callers as the core has, each with batches and frames of its own. */
final class BenchStore implements AutoCloseable {
  static final int CALLERS = 3;
  static final int BATCH = 32;

  private static final int BLOCK_TOKENS = 16;
  private static final int LAYER_BYTES =
      4096; // K and V of 16 tokens, one head of 64, two bytes each

  private final NamespaceManifest manifest;
  private final NamespaceStore namespace;
  private final Callers callers;

  private int prompts;

  /**
   * @param blockBytes a multiple of 4096
   * @param memory at least {@link #CALLERS} × {@link #BATCH} frames
   */
  BenchStore(Store store, int blockBytes, List<MemorySegment> memory) throws StoreException {
    manifest = manifest(blockBytes);
    namespace = store.open(manifest);
    List<Frame> frames = memory.stream().map(frame -> new Frame(frame, blockBytes)).toList();
    callers =
        new Callers(
            IntStream.range(0, CALLERS)
                .mapToObj(c -> frames.subList(c * BATCH, (c + 1) * BATCH))
                .toList());
  }

  private static NamespaceManifest manifest(int blockBytes) {
    List<Integer> layers = IntStream.range(0, blockBytes / LAYER_BYTES).boxed().toList();
    return NamespaceManifest.of(
        "bench",
        new Weights.BaseContent("sha256:" + "00".repeat(32)),
        KvFormat.of(
            ModelConfiguration.of(Map.of("layers", (long) layers.size())),
            new KvFormat.Compute("bf16", "bf16"),
            "bench",
            "layer-kv-token-head/1",
            List.of(KvGroup.full(0, BLOCK_TOKENS, layers, 1, 64, Dtype.BF16)),
            new Shards.KvHead(1)));
  }

  /** {@return the keys of prompts that were never there, a batch of blocks each} */
  List<BlockKeys> prompts(int count) {
    List<BlockKeys> batches = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      KeyChain chain =
          new KeyChain(
              manifest, new ChainHasher(manifest.id(), RequestScope.NONE), BLOCK_TOKENS, List.of());
      chain.append(prompts++);
      chain.append(new int[BATCH * BLOCK_TOKENS - 1]);
      batches.add(chain.keys(0, 0, 0, BATCH));
    }
    return batches;
  }

  /** Saves each batch; a block that is not saved is an error. */
  void put(List<BlockKeys> batches) throws Exception {
    callers.put(
        batches,
        blocks -> {
          namespace.save(blocks, Deadline.never());
          check(blocks);
        });
  }

  /** Loads each batch; a block that is missing, or another's, is an error. */
  void get(List<BlockKeys> batches) throws Exception {
    callers.get(
        batches,
        blocks -> {
          try (BlockLease lease = namespace.lookup(blocks.keys(), Deadline.never())) {
            namespace.load(lease, blocks, Deadline.never());
          }
          check(blocks);
        });
  }

  private static void check(Blocks blocks) throws IOException {
    for (int i = 0; i < blocks.count(); i++) {
      if (blocks.status(i) != BlockStatus.OK) {
        throw new IOException(
            "block %d of %s ended %s".formatted(i, blocks.keys(), blocks.status(i)),
            blocks.cause(i));
      }
    }
  }

  @Override
  public void close() {
    callers.close();
    namespace.close();
  }
}
