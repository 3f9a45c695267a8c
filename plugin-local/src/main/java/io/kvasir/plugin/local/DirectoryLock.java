package io.kvasir.plugin.local;

import io.kvasir.api.store.StoreException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.OptionalLong;

/**
 * One process, one store: a lock on a file of the directory, which ends with the process. The file
 * holds the owner's process id. The system drops a process's locks when it closes any descriptor of
 * the file, so within this process the paths decide and the file is not opened again. The paths
 * that are held stand in the system properties: each Kvasir of a process loads this class anew.
 */
final class DirectoryLock implements AutoCloseable {
  static final String NAME = "lock";
  private static final String HELD = "kvasir.local.held:";

  private final Path path;
  private final FileChannel channel;

  private DirectoryLock(Path path, FileChannel channel) {
    this.path = path;
    this.channel = channel;
  }

  static DirectoryLock take(Path directory) throws IOException, StoreException {
    Path path = directory.toRealPath().resolve(NAME);
    String pid = Long.toString(ProcessHandle.current().pid());
    synchronized (System.getProperties()) {
      if (System.getProperties().putIfAbsent(HELD + path, pid) != null) {
        throw taken(directory, pid);
      }
      try {
        return new DirectoryLock(path, lock(directory, path));
      } catch (IOException | RuntimeException | StoreException e) {
        release(path);
        throw e;
      }
    }
  }

  /** The process that the lock file names, if it runs; it need not have the store open still. */
  static OptionalLong owner(Path directory) throws IOException {
    Path path = directory.toRealPath().resolve(NAME);
    String pid;
    synchronized (System.getProperties()) { // a take between question and reading would be dropped
      pid = System.getProperty(HELD + path);
      if (pid == null && Files.exists(path)) {
        pid = Files.readString(path).strip();
      }
    }
    return pid != null
            && pid.matches("[0-9]{1,18}")
            && ProcessHandle.of(Long.parseLong(pid)).isPresent()
        ? OptionalLong.of(Long.parseLong(pid))
        : OptionalLong.empty();
  }

  private static FileChannel lock(Path directory, Path path) throws IOException, StoreException {
    FileChannel channel =
        FileChannel.open(
            DiskDirectory.file(path.getParent(), NAME),
            StandardOpenOption.CREATE,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE);
    try {
      FileLock lock = channel.tryLock();
      if (lock == null) {
        throw taken(directory, Files.readString(path).strip());
      }
      if (path.getFileSystem().supportedFileAttributeViews().contains("posix")) {
        Files.setPosixFilePermissions(
            path, java.nio.file.attribute.PosixFilePermissions.fromString("rw-------"));
      }
      byte[] pid = (ProcessHandle.current().pid() + "\n").getBytes(StandardCharsets.US_ASCII);
      channel.truncate(0).write(ByteBuffer.wrap(pid), 0);
      return channel;
    } catch (IOException | RuntimeException | StoreException e) {
      channel.close();
      throw e;
    }
  }

  private static StoreException taken(Path directory, String owner) {
    return new StoreException(
        StoreException.Kind.UNAVAILABLE,
        "store directory %s: locked by process %s; end that process, or configure another directory"
            .formatted(directory, owner));
  }

  private static void release(Path path) {
    System.getProperties().remove(HELD + path);
  }

  @Override
  public void close() throws IOException {
    try {
      channel.close();
    } finally {
      release(path);
    }
  }
}
