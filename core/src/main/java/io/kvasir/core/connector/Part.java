package io.kvasir.core.connector;

import io.kvasir.api.format.HitRule;

/**
 * One group and shard of a deployment.
 *
 * @param index place in {@link Layout#parts()}
 * @param payloadBytes bytes of a block
 * @param hit which blocks a usable prefix needs
 */
record Part(int index, int group, int shard, int blockTokens, long payloadBytes, HitRule hit) {
  /** {@return the chain index of the first block that a prefix of so many tokens needs} */
  int firstNeeded(long tokens) {
    return switch (hit) {
      case HitRule.All _ -> 0;
      case HitRule.Trailing t -> (int) (Math.max(0, tokens - t.tokens()) / blockTokens);
    };
  }

  /** {@return the chain index behind the last block of a prefix of so many tokens} */
  int end(long tokens) {
    return (int) (tokens / blockTokens);
  }

  /** {@return its name in an error} */
  String name() {
    return "group " + group + ", shard " + shard;
  }
}
