package io.kvasir.conformance.engine;

import io.kvasir.api.format.Dtype;
import io.kvasir.api.format.KvFormat;
import io.kvasir.api.format.KvGroup;
import io.kvasir.conformance.Manifests;
import java.util.stream.IntStream;

/**
 * The shape of an engine's paged cache: for each layer a plane of K and one of V, each plane with
 * {@code rows} rows, each row a piece per head, each piece {@code [token][element]}.
 *
 * @param layers layers of the model
 * @param heads KV heads
 * @param headBytes bytes of one head of one token, a multiple of 8
 * @param blockTokens tokens of a block
 * @param rows blocks that the cache holds
 */
public record CacheShape(int layers, int heads, int headBytes, int blockTokens, int rows) {
  /** Small blocks of 256 bytes, so that a test moves many. */
  public static CacheShape small(int rows) {
    return new CacheShape(2, 2, 8, 4, rows);
  }

  /** {@return the number of planes} */
  public int planes() {
    return 2 * layers;
  }

  /** {@return the bytes of a piece} */
  public int pieceBytes() {
    return blockTokens * headBytes;
  }

  /** {@return the bytes of a row of one plane} */
  public int rowBytes() {
    return heads * pieceBytes();
  }

  /** {@return the bytes of a block over all planes} */
  public int blockBytes() {
    return planes() * rowBytes();
  }

  /** {@return the format of the blocks} */
  public KvFormat format() {
    return Manifests.format(
        KvGroup.full(
            0,
            blockTokens,
            IntStream.range(0, layers).boxed().toList(),
            heads,
            headBytes / 2,
            Dtype.BF16));
  }
}
