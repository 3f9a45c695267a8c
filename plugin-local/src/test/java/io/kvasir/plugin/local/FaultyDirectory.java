package io.kvasir.plugin.local;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** Fails one write or flush, the n-th, or all from then on; everything else goes through. */
final class FaultyDirectory implements Directory {
  private final Directory inner;
  private String message = "";
  private boolean forces;
  private long left = Long.MAX_VALUE;
  private boolean lasting;
  private boolean failed;
  private Reads reads = offset -> {};

  /** What comes before a read. */
  interface Reads {
    void at(long offset) throws IOException;
  }

  FaultyDirectory(Directory inner) {
    this.inner = inner;
  }

  /**
   * @param flushes whether flushes are counted, else writes
   */
  void failAfter(long count, boolean flushes, boolean forEver, String error) {
    left = count;
    forces = flushes;
    lasting = forEver;
    message = error;
    failed = false;
  }

  void beforeReads(Reads what) {
    reads = what;
  }

  boolean hasFailed() {
    return failed;
  }

  private synchronized void count(boolean force) throws IOException {
    if (force == forces && (failed ? lasting : --left < 0)) {
      failed = true;
      throw new IOException(message);
    }
  }

  private BlockFile wrap(BlockFile file) {
    return new BlockFile() {
      @Override
      public void read(MemorySegment into, long offset) throws IOException {
        reads.at(offset);
        file.read(into, offset);
      }

      @Override
      public void write(MemorySegment from, long offset) throws IOException {
        count(false);
        file.write(from, offset);
      }

      @Override
      public void force(boolean metadata) throws IOException {
        count(true);
        file.force(metadata);
      }

      @Override
      public long size() throws IOException {
        return file.size();
      }

      @Override
      public void close() throws IOException {
        file.close();
      }
    };
  }

  @Override
  public BlockFile open(String name) throws IOException {
    return wrap(inner.open(name));
  }

  @Override
  public BlockFile create(String name) throws IOException {
    return wrap(inner.create(name));
  }

  @Override
  public List<String> names() throws IOException {
    return inner.names();
  }

  @Override
  public byte[] read(String name) throws IOException {
    return inner.read(name);
  }

  @Override
  public void write(String name, byte[] bytes) throws IOException {
    count(false);
    count(true);
    inner.write(name, bytes);
  }

  @Override
  public void rename(String from, String to) throws IOException {
    inner.rename(from, to);
  }

  @Override
  public void delete(String name) throws IOException {
    inner.delete(name);
  }

  @Override
  public void force() throws IOException {
    count(true);
    inner.force();
  }

  @Override
  public long free() throws IOException {
    return inner.free();
  }

  @Override
  public String describe(String name) {
    return inner.describe(name);
  }
}
