package io.kvasir.api.identity;

import java.util.List;

/**
 * A policy's first half: tokens to hashes, for one namespace and scope. Stateless and thread-safe;
 * the chain keeps what comes before.
 */
public interface BlockHasher {
  /**
   * {@return the hash of a block, 32 bytes}
   *
   * @param parent hash of the block before, or null for the first of a chain
   * @param tokens holds the block's tokens, each in 0 … 2³¹−1
   * @param from index of the block's first token in {@code tokens}
   * @param blockTokens number of tokens
   * @param items content whose first placeholder lies in the block, its position counted from the
   *     block's first token, in {@link ContentItem#ORDER}
   * @throws IdentityException if a token is out of range
   */
  byte[] hash(byte[] parent, int[] tokens, int from, int blockTokens, List<ContentItem> items);
}
