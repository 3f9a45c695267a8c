package io.kvasir.plugin.local;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.NoSuchFileException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A directory in memory that can be copied, and its copy be damaged. For one thread. */
final class MemoryDirectory implements Directory {
  private final Map<String, Content> files = new TreeMap<>();

  /** The bytes of one file; its size may be less than the array. */
  private static final class Content implements BlockFile {
    byte[] bytes = new byte[0];
    int size;

    @Override
    public void read(MemorySegment into, long offset) throws IOException {
      if (offset + into.byteSize() > size) {
        throw new EOFException();
      }
      MemorySegment.copy(MemorySegment.ofArray(bytes), offset, into, 0, into.byteSize());
    }

    @Override
    public void write(MemorySegment from, long offset) {
      long end = offset + from.byteSize();
      if (end > bytes.length) {
        bytes = Arrays.copyOf(bytes, (int) Math.max(end, bytes.length * 5L / 4));
      }
      size = (int) Math.max(size, end);
      MemorySegment.copy(from, 0, MemorySegment.ofArray(bytes), offset, from.byteSize());
    }

    @Override
    public void force(boolean metadata) {}

    @Override
    public long size() {
      return size;
    }

    @Override
    public void close() {}
  }

  MemoryDirectory copy() {
    MemoryDirectory copy = new MemoryDirectory();
    files.forEach((name, content) -> copy.write(name, read(content)));
    return copy;
  }

  private static byte[] read(Content content) {
    return Arrays.copyOf(content.bytes, content.size);
  }

  long size(String name) {
    return files.get(name).size;
  }

  void flip(String name, long at, int bit) {
    files.get(name).bytes[(int) at] ^= (byte) (1 << bit);
  }

  void cut(String name, long size) {
    files.get(name).size = (int) size;
  }

  @Override
  public BlockFile open(String name) throws IOException {
    Content content = files.get(name);
    if (content == null) {
      throw new NoSuchFileException(name);
    }
    return content;
  }

  @Override
  public BlockFile create(String name) {
    Content content = new Content();
    files.put(name, content);
    return content;
  }

  @Override
  public List<String> names() {
    return List.copyOf(files.keySet());
  }

  @Override
  public byte[] read(String name) throws IOException {
    return read((Content) open(name));
  }

  @Override
  public void write(String name, byte[] bytes) {
    create(name);
    files.get(name).write(MemorySegment.ofArray(bytes), 0);
  }

  @Override
  public void rename(String from, String to) {
    files.put(to, files.remove(from));
  }

  @Override
  public void delete(String name) {
    files.remove(name);
  }

  @Override
  public void force() {}

  @Override
  public long free() {
    return Long.MAX_VALUE;
  }

  @Override
  public String describe(String name) {
    return "memory:" + name;
  }

  /** The little-endian number at that place. */
  long number(String name, int at) {
    return MemorySegment.ofArray(files.get(name).bytes)
        .get(ValueLayout.JAVA_INT_UNALIGNED.withOrder(java.nio.ByteOrder.LITTLE_ENDIAN), at);
  }
}
