package io.kvasir.plugin.local;

import static io.kvasir.plugin.local.Layout.PAGE;

import java.io.IOException;
import java.lang.foreign.MemorySegment;

/**
 * One slab file as header, log pages and slots: where things lie, and nothing about what they mean.
 */
final class SlabFile implements AutoCloseable {
  private static final int ZEROS = 256;

  private final BlockFile file;
  private volatile Header header;

  private SlabFile(BlockFile file, Header header) {
    this.file = file;
    this.header = header;
  }

  static String name(int slotBytes) {
    return "slab-" + slotBytes + ".kv";
  }

  /**
   * Creates a file without slots, its log ring written, under its name once all of that is durable.
   */
  static SlabFile create(Directory directory, Header header) throws IOException {
    String name = name(header.slotBytes());
    String temporary = name + Directory.TEMPORARY;
    try (BlockFile file = directory.create(temporary)) {
      SlabFile created = new SlabFile(file, header);
      created.zero(0, header.logEnd());
      created.writeHeader(header);
      file.force(true);
    }
    directory.rename(temporary, name);
    directory.force();
    return open(directory, header.storeId(), header.slotBytes());
  }

  /** Opens a file that is there and says what is wrong with it, if anything is. */
  static SlabFile open(Directory directory, long storeId, int slotBytes) throws IOException {
    String name = name(slotBytes);
    BlockFile file = directory.open(name);
    try {
      Header header = newest(file, directory.describe(name));
      check(header, storeId, slotBytes, directory.describe(name));
      checkLog(header, file.size(), directory.describe(name));
      long there = (file.size() - header.slotPosition(0)) / slotBytes;
      int slots = (int) Math.max(0, Math.min(header.slots(), there));
      return new SlabFile(file, slots == header.slots() ? header : header.shrunkTo(slots));
    } catch (IOException | RuntimeException e) {
      file.close();
      throw e;
    }
  }

  private static Header newest(BlockFile file, String path) throws IOException {
    Header newest = null;
    MemorySegment page = Layout.pages(1);
    for (int i = 0; i < Layout.HEADER_PAGES && file.size() >= Layout.HEADER_PAGES * PAGE; i++) {
      file.read(page, (long) i * PAGE);
      Header found = Header.read(page);
      if (found != null && (newest == null || found.generation() > newest.generation())) {
        newest = found;
      }
    }
    if (newest == null) {
      throw new FormatError(
          "slab file "
              + path
              + ": neither of its two header pages is whole; restore the file, or move it out of"
              + " the directory to go on without its blocks; nothing has been changed");
    }
    return newest;
  }

  private static void check(Header header, long storeId, int slotBytes, String path)
      throws FormatError {
    if (header.version() != Layout.VERSION) {
      throw new FormatError(
          "slab file %s: format version %d, this release reads %d; open it with the release that wrote it, or configure an empty directory; nothing has been changed"
              .formatted(path, header.version(), Layout.VERSION));
    }
    if (header.slotBytes() != slotBytes) {
      throw new FormatError(
          "slab file %s: its header says slots of %d bytes, its name says %d; give it its own name back, or move it out of the directory; nothing has been changed"
              .formatted(path, header.slotBytes(), slotBytes));
    }
    if (header.storeId() != storeId) {
      throw new FormatError(
          "slab file %s: it belongs to store %016x, this directory is store %016x; move it back to its own directory; nothing has been changed"
              .formatted(path, header.storeId(), storeId));
    }
  }

  /** A file is created with its whole log. */
  private static void checkLog(Header header, long bytes, String path) throws FormatError {
    if (header.logPages() < 1 || header.logEnd() > bytes) {
      throw new FormatError(
          "slab file %s: its header says %d log pages, which do not fit its %d bytes; restore the file, or move it out of the directory to go on without its blocks; nothing has been changed"
              .formatted(path, header.logPages(), bytes));
    }
  }

  Header header() {
    return header;
  }

  BlockFile file() {
    return file;
  }

  void readSlot(int slot, MemorySegment into) throws IOException {
    file.read(into, header.slotPosition(slot));
  }

  void writeSlot(int slot, MemorySegment from) throws IOException {
    file.write(from, header.slotPosition(slot));
  }

  void readPage(int page, MemorySegment into) throws IOException {
    file.read(into, header.logPosition(page));
  }

  /** Reads as many pages of the log as {@code into} holds. */
  void readPages(int first, MemorySegment into) throws IOException {
    file.read(into, header.logPosition(first));
  }

  void writePage(int page, MemorySegment from) throws IOException {
    file.write(from, header.logPosition(page));
  }

  /**
   * Writes slots and a header that knows them; they exist once {@link #grown} is called, after a
   * flush (I12).
   */
  Header prepareGrowth(int slots) throws IOException {
    Header grown = header.grownTo(slots);
    zero(header.slotPosition(header.slots()), header.slotPosition(slots));
    writeHeader(grown);
    return grown;
  }

  void grown(Header grown) {
    header = grown;
  }

  /**
   * Knows that many slots again, or as many as the file's size allows: they were in use, and the
   * header that said so is damaged. {@link #rewriteHeader} makes it last. False if there is nothing
   * to do.
   */
  boolean restore(int slots) throws IOException {
    long there = (file.size() - header.slotPosition(0)) / header.slotBytes();
    int restored = (int) Math.min(slots, there);
    if (restored <= header.slots()) {
      return false;
    }
    header = header.grownTo(restored);
    return true;
  }

  void rewriteHeader() throws IOException {
    writeHeader(header);
  }

  private void writeHeader(Header next) throws IOException {
    MemorySegment page = Layout.pages(1);
    next.write(page);
    file.write(page, next.position());
  }

  private void zero(long from, long to) throws IOException {
    MemorySegment zeros = Layout.pages((int) Math.min(ZEROS, (to - from) / PAGE));
    for (long at = from; at < to; at += zeros.byteSize()) {
      file.write(zeros.asSlice(0, Math.min(zeros.byteSize(), to - at)), at);
    }
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
