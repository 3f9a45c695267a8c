package io.kvasir.core.connector;

import io.kvasir.api.KvasirException;
import io.kvasir.api.identity.BlockHasher;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.identity.ContentItem;
import io.kvasir.api.identity.KeyChain;
import io.kvasir.api.identity.NamespaceManifest;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A request's tokens, hashed once per size of a block. Used by the engine's thread alone. */
final class Chains {
  private final Map<Integer, KeyChain> bySize = new LinkedHashMap<>();
  private long tokens;

  /**
   * Hashes a prompt.
   *
   * @throws KvasirException if a token is out of range
   */
  Chains(
      Layout layout,
      NamespaceManifest namespace,
      BlockHasher hasher,
      int[] prompt,
      List<ContentItem> items) {
    for (int i = 0; i < prompt.length; i++) {
      require(prompt[i], i);
    }
    for (Part part : layout.parts()) {
      bySize.computeIfAbsent(
          part.blockTokens(), size -> new KeyChain(namespace, hasher, size, items));
    }
    bySize.values().forEach(chain -> chain.append(prompt));
    tokens = prompt.length;
  }

  private static void require(int token, long at) {
    if (token < 0) {
      throw new KvasirException("token %d at %d is out of range 0 … 2^31-1".formatted(token, at));
    }
  }

  void append(int token) {
    require(token, tokens);
    bySize.values().forEach(chain -> chain.append(token));
    tokens++;
  }

  long tokens() {
    return tokens;
  }

  /** {@return the number of complete blocks of a part} */
  int blocks(Part part) {
    return bySize.get(part.blockTokens()).blocks();
  }

  BlockKeys keys(Part part, int from, int to) {
    return bySize.get(part.blockTokens()).keys(part.group(), part.shard(), from, to);
  }
}
