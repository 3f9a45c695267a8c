package io.kvasir.benchmarks.compare;

import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.store.Blocks;
import io.kvasir.conformance.speed.DirectFile;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.HexFormat;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A file per block, written under another name and renamed, in 256 folders. */
final class FilesPeer implements Peer {
  private final Path directory;
  private final Set<OpenOption> reading;
  private final Set<OpenOption> writing;
  private final Set<Path> dirty = ConcurrentHashMap.newKeySet();

  /**
   * Makes the folders.
   *
   * @param direct whether blocks go past the page cache
   */
  FilesPeer(Path directory, boolean direct) throws IOException {
    this.directory = directory;
    Stream<OpenOption> past = direct ? Stream.of(DirectFile.DIRECT) : Stream.of();
    this.reading =
        Stream.concat(Stream.of(StandardOpenOption.READ), past).collect(Collectors.toSet());
    past = direct ? Stream.of(DirectFile.DIRECT) : Stream.of();
    this.writing =
        Stream.concat(Stream.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE), past)
            .collect(Collectors.toSet());
    for (int i = 0; i < 256; i++) {
      Files.createDirectories(directory.resolve(HexFormat.of().toHexDigits((byte) i)));
    }
  }

  private Path file(BlockKeys keys, int block) {
    String name = HexFormat.of().formatHex(keys.hash(block));
    return directory.resolve(name.substring(0, 2)).resolve(name);
  }

  @Override
  public void put(Blocks from) throws IOException {
    for (int i = 0; i < from.count(); i++) {
      Path file = file(from.keys(), i);
      Path fresh = file.resolveSibling(file.getFileName() + ".new");
      try (FileChannel channel = FileChannel.open(fresh, writing)) {
        ByteBuffer block = from.frame(i).payload().asByteBuffer();
        while (block.hasRemaining()) {
          channel.write(block);
        }
      }
      Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
      dirty.add(file);
    }
  }

  @Override
  public void get(Blocks into) throws IOException {
    for (int i = 0; i < into.count(); i++) {
      try (FileChannel channel = FileChannel.open(file(into.keys(), i), reading)) {
        ByteBuffer block = into.frame(i).payload().asByteBuffer();
        while (block.hasRemaining()) {
          if (channel.read(block) < 0) {
            throw new EOFException(file(into.keys(), i) + " is too short");
          }
        }
      }
    }
  }

  @Override
  public int prefix(BlockKeys keys) {
    int found = 0;
    while (found < keys.count() && Files.exists(file(keys, found))) {
      found++;
    }
    return found;
  }

  /** Files first, then the names in their folders. */
  @Override
  public void flush() {
    dirty.parallelStream().forEach(file -> force(file, true));
    dirty.stream().map(Path::getParent).distinct().forEach(folder -> force(folder, false));
    dirty.clear();
  }

  private static void force(Path path, boolean isFile) {
    OpenOption option = isFile ? StandardOpenOption.WRITE : StandardOpenOption.READ;
    try (FileChannel channel = FileChannel.open(path, option)) {
      channel.force(true);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {}
}
