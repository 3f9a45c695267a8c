package io.kvasir.plugin.local;

import static io.kvasir.plugin.local.Checkpoint.CRC_AT;
import static io.kvasir.plugin.local.Checkpoint.ENTRY;
import static io.kvasir.plugin.local.Checkpoint.SECTION_ENTRIES;
import static io.kvasir.plugin.local.Checkpoint.WORDS;
import static io.kvasir.plugin.local.Layout.PAGE;
import static io.kvasir.plugin.local.Layout.U16;
import static io.kvasir.plugin.local.Layout.U32;
import static io.kvasir.plugin.local.Layout.U64;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;

/** Reads a {@link Checkpoint}: the head first, then all else. Every byte is checked. */
final class CheckpointReader {
  /** Takes the entries of {@code count} slots from {@code from} on, a whole section. */
  interface Sink {
    void accept(int from, long[] entries, int count);
  }

  private final BlockFile file;
  private final String path;
  private final Checkpoint head;
  private final int names;
  private final int namesCrc;

  /** Reads the head; a file that is not a checkpoint of this store is a {@link FormatError}. */
  CheckpointReader(BlockFile file, String path, long storeId) throws IOException {
    this.file = file;
    this.path = path;
    MemorySegment page = Layout.pages(1);
    read(page, 0);
    boolean ours = page.get(U32, 0) == Checkpoint.MAGIC && page.get(U64, 8) == storeId;
    if (!ours || page.get(U32, CRC_AT) != Layout.crc(page.asSlice(0, CRC_AT))) {
      throw damaged("its head is not a checkpoint of this store");
    }
    if (page.get(U16, 4) != Layout.VERSION) {
      throw new FormatError(
          "checkpoint %s: format version %d, this release reads %d; open it with the release that wrote it, or configure an empty directory; nothing has been changed"
              .formatted(path, page.get(U16, 4), Layout.VERSION));
    }
    this.head = new Checkpoint(storeId, page.get(U64, 16), page.get(U32, 24));
    this.names = page.get(U32, 28);
    this.namesCrc = page.get(U32, 32);
    if (head.slots() < 0 || names < 0 || bytes() > file.size()) {
      throw endsEarly();
    }
  }

  /** What a whole file has at the least. */
  private long bytes() {
    long whole = head.slots() / SECTION_ENTRIES * Checkpoint.sectionBytes(SECTION_ENTRIES);
    int rest = head.slots() % SECTION_ENTRIES;
    return PAGE
        + whole
        + (rest == 0 ? 0 : Checkpoint.sectionBytes(rest))
        + Layout.roundUp(16L * names, PAGE);
  }

  Checkpoint head() {
    return head;
  }

  /** As {@link #read(Executor, ReadBuffers, Sink)}, on this thread alone. */
  List<Bits128> read(Sink sink) throws IOException {
    try (ReadBuffers buffers = new ReadBuffers(IoMemory.PLAIN, 0)) {
      return read(Runnable::run, buffers, sink);
    }
  }

  /**
   * Hands all sections on, one after the other, and returns the namespaces by their numbers.
   *
   * @param threads read the next section while one is taken in
   */
  List<Bits128> read(Executor threads, ReadBuffers buffers, Sink sink) throws IOException {
    int most = Math.min(head.slots(), SECTION_ENTRIES);
    long[] entries = new long[WORDS * most];
    long at = PAGE;
    try (ReadBuffers.Buffer buffer = buffers.take(Checkpoint.sectionBytes(most))) {
      Later<MemorySegment> next = begin(threads, buffer.bytes(), at, 0);
      try {
        for (int from = 0; from < head.slots(); from += SECTION_ENTRIES) {
          MemorySegment section = next.get();
          int count = count(from);
          MemorySegment.copy(section, U64, 0, entries, 0, WORDS * count);
          at += section.byteSize();
          next = begin(threads, buffer.bytes(), at, from + count);
          sink.accept(from, entries, count);
        }
      } finally {
        next.settle();
      }
    }
    return names(at);
  }

  private int count(int from) {
    return Math.min(SECTION_ENTRIES, head.slots() - from);
  }

  /**
   * Begins to read the section whose first slot is {@code from}; nothing is read behind the last.
   */
  private Later<MemorySegment> begin(Executor threads, MemorySegment buffer, long at, int from) {
    int count = count(from);
    MemorySegment section = buffer.asSlice(0, count == 0 ? 0 : Checkpoint.sectionBytes(count));
    return Later.start(
        threads,
        () -> {
          if (count > 0) {
            read(section, at);
            if (!isWhole(section, from, count)) {
              throw damaged("section " + from / SECTION_ENTRIES + " fails its checksum");
            }
          }
          return section;
        });
  }

  private boolean isWhole(MemorySegment section, int from, int count) {
    long foot = section.byteSize() - ENTRY;
    return section.get(U32, foot + 28) == Layout.crc(section.asSlice(0, foot + 28))
        && section.get(U64, foot) == head.seq()
        && section.get(U64, foot + 8) == head.storeId()
        && section.get(U32, foot + 16) == from / SECTION_ENTRIES
        && section.get(U32, foot + 20) == count;
  }

  private List<Bits128> names(long at) throws IOException {
    List<Bits128> list = new ArrayList<>(names);
    if (names == 0) {
      return list;
    }
    MemorySegment pages = Layout.pages((int) (Layout.roundUp(16L * names, PAGE) / PAGE));
    read(pages, at);
    if (Layout.crc(pages) != namesCrc) {
      throw damaged("its list of namespaces fails its checksum");
    }
    for (int i = 0; i < names; i++) {
      list.add(Bits128.read(pages, 16L * i));
    }
    return list;
  }

  private void read(MemorySegment into, long at) throws IOException {
    try {
      file.read(into, at);
    } catch (EOFException e) {
      throw endsEarly();
    }
  }

  private FormatError endsEarly() throws IOException {
    return damaged("it ends early, after " + file.size() + " bytes");
  }

  private FormatError damaged(String what) {
    return new FormatError(
        "checkpoint "
            + path
            + ": "
            + what
            + "; restore the file, or move it and the slab file of the same size out of the"
            + " directory to go on without their blocks; nothing has been changed");
  }
}
