package io.kvasir.benchmarks.compare;

import io.kvasir.conformance.speed.DirectFile;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;

/** The yardstick with what a JVM has by itself. */
final class ChannelDisk implements RawDisk {
  private final DirectFile file;

  ChannelDisk(Path file) throws IOException {
    this.file = new DirectFile(file);
  }

  @Override
  public void write(List<Long> positions, int blockBytes, FramePool frames) throws IOException {
    file.write(positions, blocks(frames, blockBytes));
  }

  @Override
  public void read(List<Long> positions, int blockBytes, FramePool frames) throws IOException {
    file.read(positions, blocks(frames, blockBytes));
  }

  private static List<MemorySegment> blocks(FramePool pool, int blockBytes) {
    return IntStream.range(0, pool.frames())
        .mapToObj(i -> pool.frame(i).asSlice(0, blockBytes))
        .toList();
  }

  @Override
  public void flush() throws IOException {
    file.flush();
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
