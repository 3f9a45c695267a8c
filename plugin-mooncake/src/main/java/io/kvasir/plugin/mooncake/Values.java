package io.kvasir.plugin.mooncake;

import io.kvasir.api.store.Blocks;
import java.lang.foreign.MemorySegment;

/** The memory of blocks, as the library gets it. */
final class Values {
  private Values() {}

  /**
   * {@return the values of some blocks: the frames themselves}
   *
   * @throws IllegalArgumentException if a frame is not of this store's {@link Frames}
   */
  static MemorySegment[] of(Blocks blocks, int[] which, int count, long valueBytes) {
    MemorySegment[] values = new MemorySegment[count];
    for (int i = 0; i < count; i++) {
      MemorySegment memory = blocks.frame(which[i]).memory();
      if (!memory.isNative() || memory.byteSize() < valueBytes) {
        throw new IllegalArgumentException(
            "a frame of %d bytes for a value of %d; take frames as Store.frames() says"
                .formatted(memory.byteSize(), valueBytes));
      }
      values[i] = memory;
    }
    return values;
  }
}
