package io.kvasir.conformance;

import io.kvasir.api.identity.BlockHasher;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.identity.ChainHasher;
import io.kvasir.api.identity.ContentItem;
import io.kvasir.api.identity.KeyChain;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.identity.RequestScope;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Chains of keys for tests. */
public final class Chains {
  private Chains() {}

  /** {@return the tokens of that many blocks, a different text for each number} */
  public static int[] tokens(long text, int blocks) {
    int[] tokens = new int[blocks * Manifests.BLOCK_TOKENS];
    for (int i = 0; i < tokens.length; i++) {
      tokens[i] = (int) (Payload.mix(text * 0x51ed + i) >>> 33);
    }
    return tokens;
  }

  /** {@return the keys of a text in group 0, shard 0, without a scope} */
  public static BlockKeys keys(NamespaceManifest namespace, long text, int blocks) {
    return keys(namespace, RequestScope.NONE, tokens(text, blocks), List.of());
  }

  /** {@return the keys of the complete blocks of these tokens in group 0, shard 0} */
  public static BlockKeys keys(
      NamespaceManifest namespace, RequestScope scope, int[] tokens, List<ContentItem> items) {
    KeyChain chain =
        new KeyChain(
            namespace, new ChainHasher(namespace.id(), scope), Manifests.BLOCK_TOKENS, items);
    chain.append(tokens);
    return chain.keys(0, 0, 0, chain.blocks());
  }

  /**
   * {@return keys whose hashes depend on the text alone: the same 32 bytes in every namespace,
   * group and shard, as an engine's own hashes could be}
   */
  public static BlockKeys sameHashes(
      NamespaceManifest namespace, int group, int shard, long text, int blocks) {
    BlockHasher same =
        (parent, tokens, from, blockTokens, items) -> {
          ByteBuffer hash = ByteBuffer.allocate(32);
          for (int i = 0; i < 4; i++) {
            hash.putLong(Payload.mix(tokens[from] + text + i));
          }
          return hash.array();
        };
    KeyChain chain = new KeyChain(namespace, same, Manifests.BLOCK_TOKENS, List.of());
    chain.append(tokens(text, blocks));
    return chain.keys(group, shard, 0, blocks);
  }

  /** {@return the key of one block with this hash, 32 bytes, as an engine's own could be} */
  public static BlockKeys hashed(NamespaceManifest namespace, byte[] hash) {
    BlockHasher fixed = (parent, tokens, from, blockTokens, items) -> hash.clone();
    KeyChain chain = new KeyChain(namespace, fixed, Manifests.BLOCK_TOKENS, List.of());
    chain.append(new int[Manifests.BLOCK_TOKENS]);
    return chain.keys(0, 0, 0, 1);
  }

  /** {@return keys of a chain of four blocks with one thing changed, by the thing's name} */
  public static Map<String, BlockKeys> oneThingChanged(NamespaceManifest namespace, long text) {
    int[] tokens = tokens(text, 4);
    Map<String, RequestScope> scopes = new LinkedHashMap<>();
    scopes.put("salt", RequestScope.salted("user-1"));
    scopes.put("empty salt", RequestScope.salted(""));
    scopes.put(
        "modifier",
        RequestScope.NONE.with(new RequestScope.Modifier("lora", "sha256:" + "ab".repeat(32))));
    scopes.put(
        "modifier kind",
        RequestScope.NONE.with(
            new RequestScope.Modifier("soft-prompt", "sha256:" + "ab".repeat(32))));
    Map<String, BlockKeys> out = new LinkedHashMap<>();
    scopes.forEach((name, scope) -> out.put(name, keys(namespace, scope, tokens, List.of())));
    int[] other = tokens.clone();
    other[0] ^= 1;
    out.put("first token", keys(namespace, RequestScope.NONE, other, List.of()));
    byte[] digest = new byte[32];
    Map<String, ContentItem> items = new LinkedHashMap<>();
    items.put("image", new ContentItem(1, 4, "image", digest));
    items.put("image place", new ContentItem(2, 4, "image", digest));
    items.put("image span", new ContentItem(1, 5, "image", digest));
    items.put("image kind", new ContentItem(1, 4, "audio", digest));
    byte[] another = digest.clone();
    another[31] = 1;
    items.put("image digest", new ContentItem(1, 4, "image", another));
    items.forEach(
        (name, item) -> out.put(name, keys(namespace, RequestScope.NONE, tokens, List.of(item))));
    return out;
  }
}
