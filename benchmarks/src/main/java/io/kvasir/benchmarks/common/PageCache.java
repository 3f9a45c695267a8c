package io.kvasir.benchmarks.common;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The kernel's cache of file pages: which state it is in decides how buffered stores look. */
public final class PageCache {
  private static final int DONT_NEED = 4;

  /** Free memory with which the page cache counts as full. */
  public static final long ALMOST_NOTHING = 2L << 30;

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
}
