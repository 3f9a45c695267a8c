package io.kvasir.api.identity;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.List;

/**
 * The project's own hashing, {@code kvasir/1}: SHA-256 over the parent, the block size, the tokens
 * and the content items, all integers big-endian. The namespace and the scope are in the root.
 */
public final class ChainHasher implements BlockHasher {
  private final byte[] root;

  /** Creates the hasher of a scope within a namespace. */
  public ChainHasher(NamespaceId namespace, RequestScope scope) {
    this.root = Sha256.tagged("kvasir/chain/1", namespace.bytes(), scope.digest());
  }

  @Override
  public byte[] hash(
      byte[] parent, int[] tokens, int from, int blockTokens, List<ContentItem> items) {
    byte[] buffer = new byte[32 + 4 + 4 * blockTokens + 4];
    System.arraycopy(parent == null ? root : parent, 0, buffer, 0, 32);
    put(buffer, 32, blockTokens);
    for (int i = 0; i < blockTokens; i++) {
      int token = tokens[from + i];
      if (token < 0) {
        throw new IdentityException(
            "token %d at %d is out of range 0 … 2^31-1".formatted(token, from + i));
      }
      put(buffer, 36 + 4 * i, token);
    }
    put(buffer, 36 + 4 * blockTokens, items.size());
    MessageDigest d = Sha256.digest();
    d.update(buffer);
    for (ContentItem item : items) {
      byte[] kind = item.kind().getBytes(StandardCharsets.UTF_8);
      Sha256.update(d, item.position());
      Sha256.update(d, item.span());
      Sha256.update(d, kind.length);
      d.update(kind);
      d.update(item.digest());
    }
    return d.digest();
  }

  private static void put(byte[] to, int at, int value) {
    to[at] = (byte) (value >>> 24);
    to[at + 1] = (byte) (value >>> 16);
    to[at + 2] = (byte) (value >>> 8);
    to[at + 3] = (byte) value;
  }

  /**
   * {@return the 32-byte hash under which a block that the engine hashed itself is kept}
   *
   * @param engineHash at least 16 bytes, not seeded per process
   * @throws IdentityException if it is shorter
   */
  public static byte[] bind(NamespaceId namespace, RequestScope scope, byte[] engineHash) {
    if (engineHash.length < 16) {
      throw new IdentityException(
          "an engine's block hash has at least 16 bytes, not %d; shorter ones collide"
              .formatted(engineHash.length));
    }
    return Sha256.tagged(
        "kvasir/bind/1",
        namespace.bytes(),
        scope.digest(),
        Sha256.uint32(engineHash.length),
        engineHash);
  }
}
