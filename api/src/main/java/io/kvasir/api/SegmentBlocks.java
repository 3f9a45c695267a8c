package io.kvasir.api;

import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * Blocks as lists of segments in payload order: {@code [plane][piece]}, a plane in one piece or in
 * several, as where an engine's page ends within a block. Segments are native memory.
 *
 * @param firstBlock chain index of the first block
 * @param blocks segments of each block
 */
public record SegmentBlocks(int firstBlock, List<List<MemorySegment>> blocks)
    implements BlockMemory {

  /** Copies the lists and refuses heap memory. */
  public SegmentBlocks {
    if (firstBlock < 0) {
      throw new KvasirException("first block " + firstBlock + "; a chain begins at 0");
    }
    blocks = blocks.stream().map(List::copyOf).toList();
    for (List<MemorySegment> block : blocks) {
      for (MemorySegment s : block) {
        if (!s.isNative()) {
          throw new KvasirException("block memory on the heap; give native memory");
        }
      }
    }
  }

  /** {@return memory whose first block is the first of the chain} */
  public static SegmentBlocks of(List<List<MemorySegment>> blocks) {
    return new SegmentBlocks(0, blocks);
  }

  @Override
  public int endBlock() {
    return firstBlock + blocks.size();
  }

  @Override
  public long blockBytes(int block) {
    long bytes = 0;
    for (MemorySegment s : blocks.get(block - firstBlock)) {
      bytes += s.byteSize();
    }
    return bytes;
  }
}
