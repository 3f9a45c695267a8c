package io.kvasir.core.connector;

import io.kvasir.api.format.KvGroup;
import io.kvasir.api.identity.NamespaceManifest;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * The groups and shards of a deployment, and what prefix they allow together.
 *
 * @param parts every group and shard
 * @param step tokens by which a usable prefix grows: a multiple of every block size
 */
record Layout(List<Part> parts, long step) {
  static Layout of(NamespaceManifest deployment) {
    List<Part> parts = new ArrayList<>();
    long step = 1;
    for (KvGroup group : deployment.format().groups()) {
      step = step / gcd(step, group.blockTokens()) * group.blockTokens();
      for (int shard = 0; shard < deployment.shards(); shard++) {
        long bytes = deployment.payloadBytes(group.id());
        parts.add(
            new Part(parts.size(), group.id(), shard, group.blockTokens(), bytes, group.hit()));
      }
    }
    return new Layout(List.copyOf(parts), step);
  }

  private static long gcd(long a, long b) {
    return b == 0 ? a : gcd(b, a % b);
  }

  /**
   * {@return the longest prefix in tokens, at most {@code limit}, that every part allows}
   *
   * @param good by part, the chain indices of the blocks that are there
   */
  long usable(long limit, List<BitSet> good) {
    long tokens = limit;
    for (Part part : parts) {
      if (part.hit().equals(io.kvasir.api.format.HitRule.ALL)) {
        long there = (long) good.get(part.index()).nextClearBit(0) * part.blockTokens();
        tokens = Math.min(tokens, there);
      }
    }
    tokens -= tokens % step;
    while (tokens > 0 && !allows(tokens, good)) {
      tokens -= step;
    }
    return tokens;
  }

  private boolean allows(long tokens, List<BitSet> good) {
    for (Part part : parts) {
      int bad = good.get(part.index()).nextClearBit(part.firstNeeded(tokens));
      if (bad < part.end(tokens)) {
        return false;
      }
    }
    return true;
  }
}
