package io.kvasir.benchmarks;

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
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** A namespace with blocks of one size, and the keys of made-up prompts in it. */
final class Chains {
  private static final int TOKENS = 16;
  private static final int LAYER_BYTES = 4096; // 16 tokens of K and V, one head of 64 in bf16

  private final NamespaceManifest manifest;

  /**
   * A namespace whose blocks have that size.
   *
   * @param blockBytes a multiple of 4096
   */
  Chains(int blockBytes) {
    if (blockBytes < LAYER_BYTES || blockBytes % LAYER_BYTES != 0) {
      throw new IllegalArgumentException(
          "blocks of %d bytes; write a multiple of %d".formatted(blockBytes, LAYER_BYTES));
    }
    List<Integer> layers = IntStream.range(0, blockBytes / LAYER_BYTES).boxed().toList();
    this.manifest =
        NamespaceManifest.of(
            "benchmarks",
            new Weights.BaseContent("sha256:" + "ab".repeat(32)),
            KvFormat.of(
                ModelConfiguration.of(Map.of("layers", (long) layers.size())),
                new KvFormat.Compute("bf16", "bf16"),
                "benchmarks",
                "layer-kv-token-head/1",
                List.of(KvGroup.full(0, TOKENS, layers, 1, 64, Dtype.BF16)),
                new Shards.KvHead(1)));
  }

  NamespaceManifest manifest() {
    return manifest;
  }

  /** {@return the keys of a prompt of so many blocks; another number, another prompt} */
  BlockKeys prompt(int number, int blocks) {
    KeyChain chain =
        new KeyChain(
            manifest, new ChainHasher(manifest.id(), RequestScope.NONE), TOKENS, List.of());
    int[] tokens = new int[blocks * TOKENS];
    for (int i = 0; i < tokens.length; i++) {
      tokens[i] = i == 0 ? number : i;
    }
    chain.append(tokens);
    return chain.keys(0, 0, 0, blocks);
  }
}
