package io.kvasir.conformance;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;

/** Finds what a store keeps in its files, and damages or copies it. */
final class StoredBytes {
  private StoredBytes() {}

  /**
   * {@return whether the content stood in a file below the directory; one bit of it is flipped}
   *
   * @param place 0 for its first byte, 1 for one in the middle, 2 for its last
   */
  static boolean flipBit(Path directory, byte[] content, int place) throws IOException {
    boolean found = false;
    List<Path> files;
    try (Stream<Path> all = Files.walk(directory)) {
      files = all.filter(Files::isRegularFile).toList();
    }
    for (Path file : files) {
      found |= flipBitIn(file, content, place * (content.length - 1) / 2);
    }
    return found;
  }

  private static boolean flipBitIn(Path file, byte[] content, int place) throws IOException {
    try (Arena arena = Arena.ofConfined();
        FileChannel channel =
            FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      if (channel.size() < content.length) {
        return false;
      }
      MemorySegment bytes = channel.map(FileChannel.MapMode.READ_WRITE, 0, channel.size(), arena);
      MemorySegment wanted = MemorySegment.ofArray(content);
      for (long at = 0; at + content.length <= bytes.byteSize(); at++) {
        if (bytes.get(ValueLayout.JAVA_BYTE, at) == content[0]
            && MemorySegment.mismatch(bytes, at, at + content.length, wanted, 0, content.length)
                < 0) {
          byte b = bytes.get(ValueLayout.JAVA_BYTE, at + place);
          bytes.set(ValueLayout.JAVA_BYTE, at + place, (byte) (b ^ 4));
          bytes.force();
          return true;
        }
      }
      return false;
    }
  }

  /** {@return whether there were files; they are copied, with their modes} */
  static boolean copy(Path from, Path to) throws IOException {
    boolean any = false;
    try (Stream<Path> all = Files.walk(from)) {
      for (Path file : all.toList()) {
        Files.copy(
            file, to.resolve(from.relativize(file).toString()), StandardCopyOption.COPY_ATTRIBUTES);
        any |= Files.isRegularFile(file);
      }
    }
    return any;
  }
}
