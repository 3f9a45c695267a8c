package io.kvasir.plugin.local;

import io.kvasir.api.store.StoreException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** A directory of the file system: 0700, its files 0600. */
final class DiskDirectory implements Directory, AutoCloseable {
  private static final String PROBE = "probe" + TEMPORARY;

  /** By reflection: the compiler warns of its package, and no annotation silences that. */
  private static final OpenOption DIRECT = directOption();

  private final Path path;
  private final CalmThread calm = new CalmThread();
  private final boolean posix;
  private boolean direct;

  /** Creates the directory if it is absent, and changes nothing in one that is there. */
  DiskDirectory(Path path) throws IOException, StoreException {
    check(path);
    this.path = path;
    this.posix = path.getFileSystem().supportedFileAttributeViews().contains("posix");
    Files.createDirectories(path, posix ? only("rwx------") : new FileAttribute<?>[0]);
  }

  /**
   * Refuses a path where no directory is and none can be.
   *
   * @throws StoreException that names the file in the way
   */
  static void check(Path path) throws StoreException {
    Path there = path.toAbsolutePath();
    while (there != null && Files.notExists(there, LinkOption.NOFOLLOW_LINKS)) {
      there = there.getParent();
    }
    if (there != null && !Files.isDirectory(there)) {
      throw new StoreException(
          StoreException.Kind.CONFIGURATION,
          "directory: %s %s; configure a directory, or move the file away"
              .formatted(
                  path,
                  there.equals(path.toAbsolutePath())
                      ? "is a file and no directory"
                      : "cannot be created, since %s is a file".formatted(there)));
    }
  }

  /** A file of the directory that is to be read or opened. */
  static Path file(Path directory, String name) throws FormatError {
    Path file = directory.resolve(name);
    if (Files.isDirectory(file)) {
      throw new FormatError(
          "%s: is a directory, and a store has a file of that name; move it out of the store's directory; nothing has been changed"
              .formatted(file));
    }
    return file;
  }

  /**
   * Makes the directory its owner's alone and finds out whether it can do direct I/O; once it is
   * known to be a store's.
   */
  void settle(boolean mayBeDirect) throws IOException {
    if (posix) {
      Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwx------"));
    }
    direct = mayBeDirect && probe();
  }

  private static OpenOption directOption() {
    try {
      Class<?> options = Class.forName("com.sun.nio.file.ExtendedOpenOption");
      return (OpenOption) options.getField("DIRECT").get(null);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("module jdk.unsupported has it", e);
    }
  }

  private static FileAttribute<?>[] only(String permissions) {
    return new FileAttribute<?>[] {
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
    };
  }

  /**
   * Opening for direct I/O proves nothing: only an aligned write and read in this very directory
   * do.
   */
  private boolean probe() throws IOException {
    try (BlockFile file = create(PROBE, true)) {
      MemorySegment written = Layout.pages(1).fill((byte) 0x5a);
      MemorySegment read = Layout.pages(1);
      file.write(written, 0);
      file.read(read, 0);
      return written.mismatch(read) < 0;
    } catch (IOException | UnsupportedOperationException e) {
      return false;
    } finally {
      delete(PROBE);
    }
  }

  /** Whether files bypass the page cache. */
  boolean isDirect() {
    return direct;
  }

  Path path() {
    return path;
  }

  @Override
  public BlockFile open(String name) throws IOException {
    return new ChannelFile(file(path, name), options(direct), calm);
  }

  @Override
  public BlockFile create(String name) throws IOException {
    return create(name, direct);
  }

  private BlockFile create(String name, boolean directly) throws IOException {
    delete(name);
    Path file = path.resolve(name);
    calm.call(() -> Files.createFile(file, posix ? only("rw-------") : new FileAttribute<?>[0]));
    return new ChannelFile(file, options(directly), calm);
  }

  private static Set<OpenOption> options(boolean directly) {
    Set<OpenOption> options =
        new HashSet<>(Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE));
    if (directly) {
      options.add(DIRECT);
    }
    return options;
  }

  @Override
  public List<String> names() throws IOException {
    return names(path);
  }

  static List<String> names(Path path) throws IOException {
    try (Stream<Path> files = Files.list(path)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  @Override
  public byte[] read(String name) throws IOException {
    return calm.call(() -> Files.readAllBytes(file(path, name)));
  }

  @Override
  public void write(String name, byte[] bytes) throws IOException {
    delete(name);
    calm.call(
        () -> {
          Set<OpenOption> options = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
          FileAttribute<?>[] mode = posix ? only("rw-------") : new FileAttribute<?>[0];
          try (FileChannel file = FileChannel.open(path.resolve(name), options, mode)) {
            ByteBuffer buffer = ByteBuffer.wrap(bytes);
            while (buffer.hasRemaining()) {
              file.write(buffer);
            }
            file.force(true);
          }
          return null;
        });
  }

  @Override
  public void rename(String from, String to) throws IOException {
    calm.call(
        () -> Files.move(path.resolve(from), path.resolve(to), StandardCopyOption.ATOMIC_MOVE));
  }

  @Override
  public void delete(String name) throws IOException {
    calm.call(() -> Files.deleteIfExists(path.resolve(name)));
  }

  @Override
  public void force() throws IOException {
    calm.call(
        () -> {
          try (FileChannel directory = FileChannel.open(path, StandardOpenOption.READ)) {
            directory.force(true);
          }
          return null;
        });
  }

  @Override
  public long free() throws IOException {
    return Files.getFileStore(path).getUsableSpace();
  }

  @Override
  public String describe(String name) {
    return path.resolve(name).toString();
  }

  @Override
  public void close() {
    calm.close();
  }
}
