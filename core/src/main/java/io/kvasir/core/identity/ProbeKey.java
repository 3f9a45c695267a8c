package io.kvasir.core.identity;

import io.kvasir.api.identity.BlockHasher;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.identity.ContentItem;
import io.kvasir.api.identity.IdentityPolicy;
import io.kvasir.api.identity.KeyChain;
import io.kvasir.api.identity.NamespaceId;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.identity.RequestScope;
import java.util.HexFormat;
import java.util.List;

/**
 * A block's key as the two kinds of backend see it.
 *
 * @param text what a store that takes strings gets
 * @param namespace with the hash, what every other store gets
 * @param hash the block's hash in hexadecimal digits
 */
record ProbeKey(String text, NamespaceId namespace, String hash) {
  static ProbeKey first(IdentityPolicy policy, NamespaceManifest namespace, int group, int shard) {
    return last(
        policy,
        namespace,
        group,
        shard,
        RequestScope.NONE,
        List.of(),
        tokens(blockTokens(namespace, group)));
  }

  /** {@return the key of the last complete block of the tokens} */
  static ProbeKey last(
      IdentityPolicy policy,
      NamespaceManifest namespace,
      int group,
      int shard,
      RequestScope scope,
      List<ContentItem> items,
      int[] tokens) {
    BlockHasher hasher = policy.hasher(namespace, scope);
    KeyChain chain = new KeyChain(namespace, hasher, blockTokens(namespace, group), items);
    chain.append(tokens);
    BlockKeys keys = chain.keys(group, shard, chain.blocks() - 1, chain.blocks());
    return new ProbeKey(
        policy.key(keys, 0), namespace.id(), HexFormat.of().formatHex(keys.hash(0)));
  }

  static int blockTokens(NamespaceManifest namespace, int group) {
    return namespace.format().groups().get(group).blockTokens();
  }

  static int[] tokens(int count) {
    int[] out = new int[count];
    for (int i = 0; i < count; i++) {
      out[i] = 1 + i;
    }
    return out;
  }

  /** {@return whether some backend gives both blocks one place} */
  boolean shares(ProbeKey other) {
    return text.equals(other.text)
        || (namespace.equals(other.namespace) && hash.equals(other.hash));
  }
}
