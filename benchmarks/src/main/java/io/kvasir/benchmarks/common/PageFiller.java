package io.kvasir.benchmarks.common;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Fills the memory with clean pages of a file that is one large hole: that costs no disk, and
 * buffered writes then find the memory as on a machine that has run for long. The pages go with the
 * file.
 */
public final class PageFiller implements AutoCloseable {
  private static final long ENOUGH_FREE = 1L << 30;
  private static final int PIECE = 4 << 20;
  private static final long HOLE = 1L << 40;

  private final Path hole;
  private final AtomicLong next = new AtomicLong(); // what was read before is not read again

  /** Makes the file. */
  public PageFiller(Path hole) throws IOException {
    this.hole = hole;
    try (RandomAccessFile file = new RandomAccessFile(hole.toFile(), "rw")) {
      file.setLength(HOLE);
    }
  }

  /** Reads on until hardly any memory is free, or the time is over. */
  public void fill(Duration patience) throws IOException {
    long end = System.nanoTime() + patience.toNanos();
    List<FutureTask<?>> readers = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      FutureTask<?> reader = new FutureTask<>(() -> read(end));
      readers.add(reader);
      Thread.ofPlatform().daemon().start(reader);
    }
    for (FutureTask<?> reader : readers) {
      try {
        reader.get();
      } catch (ExecutionException e) {
        throw new IOException("filling the page cache", e.getCause());
      } catch (InterruptedException e) {
        throw new IOException("interrupted", e);
      }
    }
  }

  private Void read(long end) throws IOException {
    ByteBuffer piece = ByteBuffer.allocateDirect(PIECE);
    try (FileChannel channel = FileChannel.open(hole)) {
      while (PageCache.freeBytes() > ENOUGH_FREE && System.nanoTime() < end) {
        channel.read(piece.clear(), next.getAndAdd(PIECE) % HOLE);
      }
    }
    return null;
  }

  @Override
  public void close() throws IOException {
    Files.deleteIfExists(hole);
  }
}
