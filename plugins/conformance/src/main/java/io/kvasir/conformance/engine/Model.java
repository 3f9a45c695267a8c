package io.kvasir.conformance.engine;

import io.kvasir.api.identity.RequestScope;
import io.kvasir.api.identity.Weights;
import io.kvasir.conformance.Payload;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * What the engine computes: each byte of a block is a function of the weights in force when each
 * token up to it was computed, the scope, layer, K or V, head, position and tokens. As in a real
 * model, a block computed on an old prefix with new weights is neither the old nor the new one.
 */
final class Model {
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private Model() {}

  /** {@return the number of a state of the weights} */
  static long weights(Weights weights) {
    return number(weights.id());
  }

  /** {@return the model's state before the first token} */
  static long start(RequestScope scope) {
    return number(scope.digest());
  }

  private static long number(byte[] digest) {
    return MemorySegment.ofArray(digest).get(LONG, 0);
  }

  /** {@return the model's state after one more token} */
  static long next(long state, long weights, int position, int token) {
    return Payload.mix(Payload.mix(state ^ weights) + 31L * position + token);
  }

  /**
   * {@return a block: {@code [plane][head][token][byte]}}
   *
   * @param states the state after each of the block's tokens, from an index; tokens that are not
   *     there yet leave the canary
   */
  static byte[] block(CacheShape shape, long[] states, int from, int tokens) {
    byte[] out = new byte[shape.blockBytes()];
    MemorySegment memory = MemorySegment.ofArray(out);
    memory.fill(PagedCache.CANARY);
    int at = 0;
    for (int plane = 0; plane < shape.planes(); plane++) {
      for (int head = 0; head < shape.heads(); head++) {
        for (int t = 0; t < shape.blockTokens(); t++) {
          long here = t < tokens ? states[from + t] + 1009L * plane + 9176L * head : 0;
          for (int b = 0; b < shape.headBytes(); b += 8, at += 8) {
            if (t < tokens) {
              memory.set(LONG, at, Payload.mix(here + b));
            }
          }
        }
      }
    }
    return out;
  }
}
