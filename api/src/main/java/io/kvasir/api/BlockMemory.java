package io.kvasir.api;

/**
 * Where an engine keeps the blocks of a request: {@link PagedBlocks}, {@link SegmentBlocks}, or
 * {@link GroupedBlocks} where a format has several groups or shards.
 *
 * <p>Blocks are addressed by their index in the chain. The payload order is {@code [plane][piece]},
 * the same for every kind of memory.
 */
public sealed interface BlockMemory permits PagedBlocks, SegmentBlocks, GroupedBlocks {
  /** {@return the chain index of the first block that the memory holds} */
  int firstBlock();

  /** {@return the chain index behind the last block that the memory holds} */
  int endBlock();

  /** {@return the bytes of a block} */
  long blockBytes(int block);

  /**
   * {@return the memory of one group and shard}
   *
   * @throws KvasirException if there is none
   */
  default BlockMemory part(int group, int shard) {
    if (group != 0 || shard != 0) {
      throw new KvasirException(
          "no memory for group %d, shard %d; give GroupedBlocks".formatted(group, shard));
    }
    return this;
  }
}
