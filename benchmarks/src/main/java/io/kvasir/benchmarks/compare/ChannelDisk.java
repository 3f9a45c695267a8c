package io.kvasir.benchmarks.compare;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/** The yardstick with what a JVM has by itself: direct FileChannels and platform threads. */
final class ChannelDisk implements RawDisk {
  /**
   * Past the page cache. Not named in the source: its package is the JDK's own in the eyes of a
   * compiler without a module-info, a warning that nothing can suppress.
   */
  static final OpenOption DIRECT = direct();

  private final FileChannel channel;
  private final ExecutorService threads =
      Executors.newFixedThreadPool(DEPTH, Thread.ofPlatform().daemon().factory());

  ChannelDisk(Path file) throws IOException {
    channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE, DIRECT);
  }

  private static OpenOption direct() {
    try {
      for (Object o : Class.forName("com.sun.nio.file.ExtendedOpenOption").getEnumConstants()) {
        if (o instanceof OpenOption option && option.toString().equals("DIRECT")) {
          return option;
        }
      }
      throw new UnsupportedOperationException("no ExtendedOpenOption.DIRECT");
    } catch (ClassNotFoundException e) {
      throw new UnsupportedOperationException("no module jdk.unsupported", e);
    }
  }

  @Override
  public void write(List<Long> positions, int blockBytes, FramePool frames) throws IOException {
    pass(true, positions, blockBytes, frames);
  }

  @Override
  public void read(List<Long> positions, int blockBytes, FramePool frames) throws IOException {
    pass(false, positions, blockBytes, frames);
  }

  private void pass(boolean write, List<Long> positions, int blockBytes, FramePool frames)
      throws IOException {
    AtomicInteger next = new AtomicInteger();
    int share = frames.frames() / DEPTH;
    List<Future<?>> passes = new ArrayList<>();
    for (int t = 0; t < DEPTH; t++) {
      int first = t * share;
      passes.add(
          threads.submit(
              () -> {
                int turn = 0;
                for (int i; (i = next.getAndIncrement()) < positions.size(); turn++) {
                  MemorySegment frame = frames.frame(first + turn % share).asSlice(0, blockBytes);
                  move(write, frame.asByteBuffer(), positions.get(i));
                }
                return null;
              }));
    }
    for (Future<?> pass : passes) {
      try {
        pass.get();
      } catch (ExecutionException e) {
        throw new IOException(e.getCause());
      } catch (InterruptedException e) {
        throw new IOException("interrupted", e);
      }
    }
  }

  private void move(boolean write, ByteBuffer block, long position) throws IOException {
    while (block.hasRemaining()) {
      long at = position + block.position();
      if ((write ? channel.write(block, at) : channel.read(block, at)) < 0) {
        throw new IOException("end of file at " + at);
      }
    }
  }

  @Override
  public void flush() throws IOException {
    channel.force(false);
  }

  @Override
  public void close() throws IOException {
    threads.close();
    channel.close();
  }
}
