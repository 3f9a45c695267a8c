package io.kvasir.plugin.local;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.ReadOnlyFileSystemException;
import java.util.List;

/** A directory of the file system that is only looked at: nothing is created, changed or locked. */
record ReadOnlyDirectory(Path path) implements Directory {
  @Override
  public BlockFile open(String name) throws IOException {
    Path file = DiskDirectory.file(path, name);
    return new ReadOnlyFile(file, FileChannel.open(file));
  }

  @Override
  public List<String> names() throws IOException {
    return DiskDirectory.names(path);
  }

  @Override
  public byte[] read(String name) throws IOException {
    return Files.readAllBytes(DiskDirectory.file(path, name));
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
  public BlockFile create(String name) {
    throw new ReadOnlyFileSystemException();
  }

  @Override
  public void write(String name, byte[] bytes) {
    throw new ReadOnlyFileSystemException();
  }

  @Override
  public void rename(String from, String to) {
    throw new ReadOnlyFileSystemException();
  }

  @Override
  public void delete(String name) {
    throw new ReadOnlyFileSystemException();
  }

  @Override
  public void force() {
    throw new ReadOnlyFileSystemException();
  }

  private record ReadOnlyFile(Path path, FileChannel channel) implements BlockFile {
    @Override
    public void read(MemorySegment into, long offset) throws IOException {
      ByteBuffer buffer = into.asByteBuffer();
      while (buffer.hasRemaining()) {
        if (channel.read(buffer, offset + buffer.position()) < 0) {
          throw new EOFException(path + " ends before " + (offset + into.byteSize()));
        }
      }
    }

    @Override
    public void write(MemorySegment from, long offset) {
      throw new ReadOnlyFileSystemException();
    }

    @Override
    public void force(boolean metadata) {
      throw new ReadOnlyFileSystemException();
    }

    @Override
    public long size() throws IOException {
      return channel.size();
    }

    @Override
    public void close() throws IOException {
      channel.close();
    }
  }
}
