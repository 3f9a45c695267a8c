package io.kvasir.core.identity;

import io.kvasir.api.KvasirException;
import io.kvasir.api.identity.BlockHasher;
import io.kvasir.api.identity.ContentItem;
import io.kvasir.api.identity.IdentityException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.List;

/**
 * {@code SHA-256(schema | parent, if any | u32 block size | u64 tokens | u32 length | adapter)}.
 */
final class LmdeployV1Hasher implements BlockHasher {
  private final byte[] adapter;

  LmdeployV1Hasher(String adapter) {
    this.adapter = adapter.getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public byte[] hash(
      byte[] parent, int[] tokens, int from, int blockTokens, List<ContentItem> items) {
    if (!items.isEmpty()) {
      throw new KvasirException(
          "identity.policy: \"lmdeploy-v1\" cannot tell one %s from another; use \"strict\""
              .formatted(items.getFirst().kind()));
    }
    ByteBuffer block = ByteBuffer.allocate(4 + 8 * blockTokens + 4);
    block.putInt(blockTokens);
    for (int i = from; i < from + blockTokens; i++) {
      if (tokens[i] < 0) {
        throw new IdentityException(
            "token %d at %d is out of range 0 … 2^31-1".formatted(tokens[i], i));
      }
      block.putLong(tokens[i]);
    }
    block.putInt(adapter.length);
    MessageDigest d = Digests.tagged("lmdeploy-mooncake-prefix-block-v1");
    if (parent != null) {
      d.update(parent);
    }
    d.update(block.flip());
    d.update(adapter);
    return d.digest();
  }
}
