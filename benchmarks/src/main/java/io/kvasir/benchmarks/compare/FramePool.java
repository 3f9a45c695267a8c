package io.kvasir.benchmarks.compare;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.kvasir.api.store.Frame;
import io.kvasir.benchmarks.common.Posix;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * Frames that raw rounds and store rounds share. Mapped, advised to be huge pages and only then
 * touched: 4 KiB pages cost the disk a third of its speed, and an arena's allocation touches first.
 */
final class FramePool implements AutoCloseable {
  private static final int PRIVATE_ANONYMOUS = 0x22;
  private static final int MADV_HUGEPAGE = 14;
  private static final int MADV_NOHUGEPAGE = 15;
  private static final long HUGE = 2 << 20;

  private final MemorySegment mapped;
  private final MemorySegment memory;
  private final int frames;
  private final long frameBytes;

  /**
   * Maps frames and fills them with noise, so that nothing on the way can compress them.
   *
   * @param frameBytes a multiple of 4096
   */
  FramePool(int frames, long frameBytes, boolean huge) throws IOException {
    long bytes = (frames * frameBytes + 2 * HUGE - 1) / HUGE * HUGE;
    this.frames = frames;
    this.frameBytes = frameBytes;
    this.mapped = Posix.map(bytes, PRIVATE_ANONYMOUS, -1, 0);
    Posix.madvise(mapped, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    this.memory = mapped.asSlice(-mapped.address() & (HUGE - 1), frames * frameBytes);
    SplittableRandom noise = new SplittableRandom(7);
    for (long at = 0; at < memory.byteSize(); at += Long.BYTES) {
      memory.set(JAVA_LONG, at, noise.nextLong());
    }
  }

  int frames() {
    return frames;
  }

  MemorySegment frame(int frame) {
    return memory.asSlice(frame * frameBytes, frameBytes);
  }

  /** {@return frames {@code from} to {@code from + count} as a store takes them} */
  List<Frame> frames(int from, int count, long payloadBytes) {
    return IntStream.range(from, from + count)
        .mapToObj(i -> new Frame(frame(i), payloadBytes))
        .toList();
  }

  /** {@return a batch of frames for each caller} */
  List<List<Frame>> forCallers(int callers, int batchBlocks, long payloadBytes) {
    return IntStream.range(0, callers)
        .mapToObj(c -> frames(c * batchBlocks, batchBlocks, payloadBytes))
        .toList();
  }

  @Override
  public void close() throws IOException {
    Posix.unmap(mapped);
  }
}
