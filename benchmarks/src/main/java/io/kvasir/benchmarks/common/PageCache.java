package io.kvasir.benchmarks.common;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** The kernel's cache of file pages: which state it is in decides how buffered stores look. */
public final class PageCache {
  private static final int DONT_NEED = 4;
  private static final long ENOUGH_FREE = 1L << 30;
  private static final int PIECE = 4 << 20;

  private PageCache() {}

  /** Writes the files of a folder back and drops their pages, those that are not mapped. */
  public static void drop(Path folder) throws IOException {
    List<Path> files;
    try (Stream<Path> all = Files.walk(folder)) {
      files = all.filter(Files::isRegularFile).toList();
    }
    for (Path file : files) {
      int descriptor = Posix.open(file, Posix.READ_WRITE);
      try {
        Posix.fdatasync(descriptor);
        Posix.fadvise(descriptor, DONT_NEED);
      } finally {
        Posix.close(descriptor);
      }
    }
  }

  /** {@return bytes of memory that not even the page cache uses} */
  public static long freeBytes() throws IOException {
    return memory("MemFree:");
  }

  /** {@return the bytes that a line of {@code /proc/meminfo} names} */
  public static long memory(String line) throws IOException {
    try (Stream<String> lines = Files.lines(Path.of("/proc/meminfo"))) {
      return lines
          .filter(l -> l.startsWith(line))
          .map(l -> l.replaceAll("[^0-9]", ""))
          .mapToLong(kib -> Long.parseLong(kib) << 10)
          .findFirst()
          .orElseThrow(() -> new IOException("/proc/meminfo has no " + line));
    }
  }

  /** {@return whether the memory is as full of file pages as on a machine that runs for long} */
  public static boolean isFull() throws IOException {
    return freeBytes() <= 2 * ENOUGH_FREE;
  }

  /**
   * Fills the memory with clean pages of a file that is one large hole, which costs no disk; gives
   * up when the time is over. The pages go with the file.
   */
  public static void fill(Path hole, Duration patience) throws IOException {
    long end = System.nanoTime() + patience.toNanos();
    try (RandomAccessFile file = new RandomAccessFile(hole.toFile(), "rw")) {
      file.setLength(Math.max(file.length(), memory("MemTotal:")));
    }
    Thread other = Thread.ofPlatform().start(() -> readQuietly(hole, 1, end));
    try {
      read(hole, 0, end);
      other.join();
    } catch (InterruptedException e) {
      throw new IOException("interrupted", e);
    }
  }

  private static void readQuietly(Path hole, int half, long end) {
    try {
      read(hole, half, end);
    } catch (IOException e) {
      System.getLogger(PageCache.class.getName())
          .log(System.Logger.Level.WARNING, hole.toString(), e);
    }
  }

  /** Reads the even or the odd pieces. */
  private static void read(Path hole, int half, long end) throws IOException {
    ByteBuffer piece = ByteBuffer.allocateDirect(PIECE);
    try (FileChannel channel = FileChannel.open(hole)) {
      long size = channel.size();
      for (long at = (long) half * PIECE;
          at < size && freeBytes() > ENOUGH_FREE && System.nanoTime() < end;
          at += 2 * PIECE) {
        channel.read(piece.clear(), at);
      }
    }
  }
}
