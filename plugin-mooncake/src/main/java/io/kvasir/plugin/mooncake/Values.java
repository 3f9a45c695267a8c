package io.kvasir.plugin.mooncake;

import io.kvasir.api.store.Blocks;
import java.lang.foreign.MemorySegment;

/** The memory of blocks, as the library gets it. */
final class Values {
  private Values() {}

  /** {@return the values of some blocks: the frames themselves} */
  static MemorySegment[] of(Blocks blocks, int[] which, int count, long valueBytes) {
    MemorySegment[] values = new MemorySegment[count];
    for (int i = 0; i < count; i++) {
      values[i] = of(blocks, which[i], valueBytes);
    }
    return values;
  }

  /**
   * {@return the value of a block: the frame itself}
   *
   * @throws IllegalArgumentException if the frame is not of this store's {@link Frames}
   */
  static MemorySegment of(Blocks blocks, int block, long valueBytes) {
    MemorySegment memory = blocks.frame(block).memory();
    if (!memory.isNative() || memory.byteSize() < valueBytes) {
      throw new IllegalArgumentException(
          "a frame of %d bytes for a value of %d; take frames as Store.frames() says"
              .formatted(memory.byteSize(), valueBytes));
    }
    return memory;
  }
}
