package io.kvasir.plugin.local;

import static io.kvasir.plugin.local.Layout.PAGE;
import static io.kvasir.plugin.local.Layout.U16;
import static io.kvasir.plugin.local.Layout.U32;
import static io.kvasir.plugin.local.Layout.U64;

import io.kvasir.plugin.local.SlotTable.Entry;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * The index of a slab file at a sequence c: the effect of all batches up to c, perhaps of later
 * ones (I6). One file: a head page, sections of at most 32,767 entries by slot number, the
 * namespaces by their numbers. A new file each time, renamed into place (I5).
 */
record Checkpoint(long seq, int slots, List<Bits128> namespaces) {
  static final Checkpoint NONE = new Checkpoint(0, 0, List.of());
  static final int SECTION_ENTRIES = 32767;
  private static final int ENTRY = 32;
  private static final int MAGIC = 0x4353564b; // "KVSC"
  private static final int CRC_AT = PAGE - 4;

  /** What a checkpoint is of. */
  record Head(long storeId, long seq, int slots) {}

  /**
   * Copies the live slots from {@code from} to {@code to} (exclusive), under the lock of their
   * table.
   */
  interface Source {
    void copy(int from, int to, Sink sink);
  }

  interface Sink {
    void accept(int slot, Entry entry);
  }

  static String name(int slotBytes) {
    return "slab-" + slotBytes + ".checkpoint";
  }

  private static long sectionBytes(int entries) {
    return Layout.roundUp((long) ENTRY * entries + ENTRY, PAGE);
  }

  /** Bytes of a file for that many slots, a generous number of namespaces included. */
  static long fileBytes(long slots) {
    long full = slots / SECTION_ENTRIES;
    return 2L * PAGE
        + full * sectionBytes(SECTION_ENTRIES)
        + sectionBytes((int) (slots % SECTION_ENTRIES));
  }

  /** Writes and publishes a checkpoint. Returns once file, name and directory are durable. */
  static void write(
      Directory directory,
      String name,
      Head head,
      Source source,
      Supplier<List<Bits128>> namespaces)
      throws IOException {
    String temporary = name + Directory.TEMPORARY;
    try (BlockFile file = directory.create(temporary)) {
      long at = PAGE;
      for (int from = 0; from < head.slots; from += SECTION_ENTRIES) {
        MemorySegment section = section(head, from, source);
        file.write(section, at);
        at += section.byteSize();
      }
      List<Bits128> names = namespaces.get();
      MemorySegment list = names(names);
      if (!names.isEmpty()) {
        file.write(list, at);
      }
      file.write(page(head, names.size(), Layout.crc(list)), 0);
      file.force(true);
    }
    directory.rename(temporary, name);
    directory.force();
  }

  private static MemorySegment section(Head head, int from, Source source) {
    int to = Math.min(head.slots, from + SECTION_ENTRIES);
    MemorySegment section = Layout.pages((int) (sectionBytes(to - from) / PAGE));
    source.copy(from, to, (slot, entry) -> put(section, (long) (slot - from) * ENTRY, entry));
    long foot = section.byteSize() - ENTRY;
    section.set(U64, foot, head.seq);
    section.set(U64, foot + 8, head.storeId);
    section.set(U32, foot + 16, from / SECTION_ENTRIES);
    section.set(U32, foot + 20, to - from);
    section.set(U32, foot + 28, Layout.crc(section.asSlice(0, foot + 28)));
    return section;
  }

  private static void put(MemorySegment to, long at, Entry entry) {
    entry.print().write(to, at);
    to.set(U32, at + 16, entry.crc());
    to.set(U32, at + 20, entry.length());
    to.set(U32, at + 24, entry.clock());
    to.set(U16, at + 28, (short) Math.min(entry.depth(), 0xFFFF));
    to.set(U16, at + 30, (short) (entry.namespace() + 1));
  }

  private static MemorySegment names(List<Bits128> names) {
    MemorySegment list =
        Layout.pages((int) (Layout.roundUp(Math.max(1, 16L * names.size()), PAGE) / PAGE));
    for (int i = 0; i < names.size(); i++) {
      names.get(i).write(list, 16L * i);
    }
    return list;
  }

  private static MemorySegment page(Head head, int names, int namesCrc) {
    MemorySegment page = Layout.pages(1);
    page.set(U32, 0, MAGIC);
    page.set(U16, 4, (short) Layout.VERSION);
    page.set(U64, 8, head.storeId);
    page.set(U64, 16, head.seq);
    page.set(U32, 24, head.slots);
    page.set(U32, 28, names);
    page.set(U32, 32, namesCrc);
    page.set(U32, CRC_AT, Layout.crc(page.asSlice(0, CRC_AT)));
    return page;
  }

  /** Reads a checkpoint and hands each entry on; every byte is checked before it is believed. */
  static Checkpoint read(BlockFile file, String path, long storeId, Sink sink) throws IOException {
    try {
      return readWhole(file, path, storeId, sink);
    } catch (EOFException e) {
      throw damaged(path, "it ends early, after " + file.size() + " bytes");
    }
  }

  private static Checkpoint readWhole(BlockFile file, String path, long storeId, Sink sink)
      throws IOException {
    MemorySegment head = Layout.pages(1);
    file.read(head, 0);
    boolean ours = head.get(U32, 0) == MAGIC && head.get(U64, 8) == storeId;
    if (!ours || head.get(U32, CRC_AT) != Layout.crc(head.asSlice(0, CRC_AT))) {
      throw damaged(path, "its head is not a checkpoint of this store");
    }
    long seq = head.get(U64, 16);
    int slots = head.get(U32, 24);
    long at = PAGE;
    for (int from = 0; from < slots; from += SECTION_ENTRIES) {
      int count = Math.min(SECTION_ENTRIES, slots - from);
      MemorySegment section = Layout.pages((int) (sectionBytes(count) / PAGE));
      file.read(section, at);
      at += section.byteSize();
      long foot = section.byteSize() - ENTRY;
      boolean whole = section.get(U32, foot + 28) == Layout.crc(section.asSlice(0, foot + 28));
      if (!whole || section.get(U64, foot) != seq || section.get(U64, foot + 8) != storeId) {
        throw damaged(path, "section " + from / SECTION_ENTRIES + " fails its checksum");
      }
      entries(section, from, count, sink);
    }
    return new Checkpoint(seq, slots, readNames(file, path, at, head));
  }

  private static void entries(MemorySegment section, int from, int count, Sink sink) {
    for (int i = 0; i < count; i++) {
      long at = (long) i * ENTRY;
      int flags = Short.toUnsignedInt(section.get(U16, at + 30));
      if (flags != 0) {
        sink.accept(
            from + i,
            new Entry(
                Bits128.read(section, at),
                SlotTable.FROM_CHECKPOINT,
                section.get(U32, at + 16),
                section.get(U32, at + 20),
                section.get(U32, at + 24),
                Short.toUnsignedInt(section.get(U16, at + 28)),
                flags - 1));
      }
    }
  }

  private static List<Bits128> readNames(BlockFile file, String path, long at, MemorySegment head)
      throws IOException {
    int count = head.get(U32, 28);
    List<Bits128> names = new ArrayList<>(count);
    if (count == 0) {
      return names;
    }
    MemorySegment list = Layout.pages((int) (Layout.roundUp(16L * count, PAGE) / PAGE));
    file.read(list, at);
    if (Layout.crc(list) != head.get(U32, 32)) {
      throw damaged(path, "its list of namespaces fails its checksum");
    }
    for (int i = 0; i < count; i++) {
      names.add(Bits128.read(list, 16L * i));
    }
    return names;
  }

  private static FormatError damaged(String path, String what) {
    return new FormatError(
        "checkpoint "
            + path
            + ": "
            + what
            + "; restore the file, or move it and the slab file of the same size out of the"
            + " directory to go on without their blocks; nothing has been changed");
  }
}
