package io.kvasir.conformance.speed;

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

/**
 * What a JVM gets out of a disk by itself: one file past the page cache, a few blocks on their way
 * at a time, and nothing else.
 */
public final class DirectFile implements AutoCloseable {
  /** Blocks on their way at a time. */
  public static final int DEPTH = 8;

  /** Opens a file past the page cache. */
  public static final OpenOption DIRECT = direct();

  private final FileChannel channel;
  private final ExecutorService threads =
      Executors.newFixedThreadPool(DEPTH, Thread.ofPlatform().daemon().factory());

  /**
   * Opens a file that is there.
   *
   * @throws IOException if it cannot be opened past the page cache
   */
  public DirectFile(Path file) throws IOException {
    try {
      channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE, DIRECT);
    } catch (UnsupportedOperationException e) {
      throw new IOException(file + ": its file system has no direct I/O", e);
    }
  }

  /** By reflection: the compiler warns of its package, and no annotation silences that. */
  private static OpenOption direct() {
    try {
      Class<?> options = Class.forName("com.sun.nio.file.ExtendedOpenOption");
      return (OpenOption) options.getField("DIRECT").get(null);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("module jdk.unsupported has it", e);
    }
  }

  /**
   * Writes a frame in turn to each position.
   *
   * @throws IOException if a write fails
   */
  public void write(List<Long> positions, List<MemorySegment> frames) throws IOException {
    pass(true, positions, frames);
  }

  /**
   * Makes durable what was written.
   *
   * @throws IOException if it cannot
   */
  public void flush() throws IOException {
    channel.force(false);
  }

  /**
   * Reads from each position into a frame in turn.
   *
   * @throws IOException if a read fails
   */
  public void read(List<Long> positions, List<MemorySegment> frames) throws IOException {
    pass(false, positions, frames);
  }

  private void pass(boolean write, List<Long> positions, List<MemorySegment> frames)
      throws IOException {
    AtomicInteger next = new AtomicInteger();
    int share = frames.size() / DEPTH;
    List<Future<?>> passes = new ArrayList<>();
    for (int t = 0; t < DEPTH; t++) {
      int first = t * share;
      passes.add(
          threads.submit(
              () -> {
                int turn = 0;
                for (int i; (i = next.getAndIncrement()) < positions.size(); turn++) {
                  MemorySegment frame = frames.get(first + turn % share);
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
  public void close() throws IOException {
    threads.close();
    channel.close();
  }
}
