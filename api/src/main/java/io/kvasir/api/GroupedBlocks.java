package io.kvasir.api;

import java.util.Map;

/**
 * The memory of several groups and shards.
 *
 * @param parts memory by group and shard
 */
public record GroupedBlocks(Map<Part, BlockMemory> parts) implements BlockMemory {
  /**
   * Which part of a format.
   *
   * @param group id of the group
   * @param shard index of the shard
   */
  public record Part(int group, int shard) {}

  /** Copies the map; a part is paged or a list of segments. */
  public GroupedBlocks {
    parts = Map.copyOf(parts);
    if (parts.values().stream().anyMatch(GroupedBlocks.class::isInstance)) {
      throw new KvasirException("grouped memory within grouped memory");
    }
  }

  @Override
  public BlockMemory part(int group, int shard) {
    BlockMemory part = parts.get(new Part(group, shard));
    if (part == null) {
      throw new KvasirException(
          "no memory for group %d, shard %d among %s".formatted(group, shard, parts.keySet()));
    }
    return part;
  }

  @Override
  public int firstBlock() {
    return parts.values().stream().mapToInt(BlockMemory::firstBlock).max().orElse(0);
  }

  @Override
  public int endBlock() {
    return parts.values().stream().mapToInt(BlockMemory::endBlock).min().orElse(0);
  }

  @Override
  public long blockBytes(int block) {
    return parts.values().stream().mapToLong(p -> p.blockBytes(block)).sum();
  }
}
