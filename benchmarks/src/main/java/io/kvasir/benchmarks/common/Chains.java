package io.kvasir.benchmarks.common;

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
public final class Chains {
  private static final int LAYER_BYTES = 4096; // K and V, one head, in bf16
  private static final int BYTES_OF_TOKEN = 2 * 2; // K and V of one dimension

  private final int tokens;
  private final NamespaceManifest manifest;

  /**
   * A namespace whose blocks have that size.
   *
   * @param blockBytes a multiple of 4096
   */
  public Chains(int blockBytes) {
    this(blockBytes, 16);
  }

  /**
   * A namespace whose blocks have that size and so many tokens.
   *
   * @param tokens at most 1024, a power of two
   */
  public Chains(int blockBytes, int tokens) {
    this.tokens = tokens;
    if (blockBytes < LAYER_BYTES || blockBytes % LAYER_BYTES != 0) {
      throw new IllegalArgumentException(
          "blocks of %d bytes; write a multiple of %d".formatted(blockBytes, LAYER_BYTES));
    }
    int dimensions = LAYER_BYTES / BYTES_OF_TOKEN / tokens;
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
                List.of(KvGroup.full(0, tokens, layers, 1, dimensions, Dtype.BF16)),
                new Shards.KvHead(1)));
  }

  /** {@return the namespace} */
  public NamespaceManifest manifest() {
    return manifest;
  }

  /** {@return the tokens of a prompt of so many blocks; another number, another prompt} */
  public int[] tokens(int number, int blocks) {
    int[] prompt = new int[blocks * tokens];
    for (int i = 0; i < prompt.length; i++) {
      prompt[i] = i == 0 ? number : i;
    }
    return prompt;
  }

  /** {@return the keys of a prompt's whole blocks} */
  public BlockKeys keys(int[] prompt) {
    KeyChain chain =
        new KeyChain(
            manifest, new ChainHasher(manifest.id(), RequestScope.NONE), tokens, List.of());
    chain.append(prompt);
    return chain.keys(0, 0, 0, chain.blocks());
  }

  /** {@return the keys of {@link #tokens}} */
  public BlockKeys prompt(int number, int blocks) {
    return keys(tokens(number, blocks));
  }
}
