package io.kvasir.api;

import java.util.List;

/**
 * How a load ended.
 *
 * @param tokens the usable prefix: whole blocks, {@code OK} in all groups and shards. What lies
 *     behind it in the engine's memory is not to be trusted
 * @param parts how each group and shard ended
 * @param arrival what the engine's stream waits for before it touches the blocks: nothing, but
 *     after {@link KvRequest#loadAhead}
 */
public record LoadResult(int tokens, List<Part> parts, Arrival arrival) {
  /** The result of a load whose bytes are there. */
  public LoadResult(int tokens, List<Part> parts) {
    this(tokens, parts, Arrival.NOW);
  }

  /**
   * How the blocks of one group and shard ended.
   *
   * @param group id of the group
   * @param shard index of the shard
   * @param firstBlock chain index of the first block
   * @param statuses status of each block
   */
  public record Part(int group, int shard, int firstBlock, List<BlockStatus> statuses) {
    /** {@return the chain index of the first block that is not {@code OK}, or behind the last} */
    public int firstBad() {
      int i = 0;
      while (i < statuses.size() && statuses.get(i) == BlockStatus.OK) {
        i++;
      }
      return firstBlock + i;
    }
  }

  /** {@return whether every block is {@code OK}} */
  public boolean complete() {
    return parts.stream().allMatch(p -> p.firstBad() == p.firstBlock() + p.statuses().size());
  }
}
