package io.kvasir.plugin.local;

import static io.kvasir.plugin.local.Layout.PAGE;
import static io.kvasir.plugin.local.Layout.U16;
import static io.kvasir.plugin.local.Layout.U32;
import static io.kvasir.plugin.local.Layout.U64;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.Supplier;

/**
 * The index of a slab file at a sequence c: the effect of all batches up to c, perhaps of later
 * ones (I6). One file: a head page, sections of at most 32,767 entries by slot number, the
 * namespaces by their numbers. A new file each time, renamed into place (I5). {@link
 * CheckpointReader} reads it.
 *
 * @param slots how many it has an entry for
 */
record Checkpoint(long storeId, long seq, int slots) {
  static final int SECTION_ENTRIES = 32767;
  static final int ENTRY = 32;

  /** Words of an entry: fingerprint, CRC and length, clock with depth and namespace. */
  static final int WORDS = ENTRY / Long.BYTES;

  static final int MAGIC = 0x4353564b; // "KVSC"
  static final int CRC_AT = PAGE - 4;

  /** What a file takes beside its entries: the head, a page of namespaces, and a last page. */
  static final long FIXED_BYTES = 3L * PAGE;

  /** Copies the entries of slots, {@link #WORDS} each, zeros for an empty one. */
  interface Source {
    void copy(int from, int to, long[] entries);
  }

  static String name(int slotBytes) {
    return "slab-" + slotBytes + ".checkpoint";
  }

  static long sectionBytes(int entries) {
    return Layout.roundUp((long) ENTRY * entries + ENTRY, PAGE);
  }

  /** Writes and publishes it. Returns once file, name and directory are durable. */
  void write(Directory directory, String name, Source source, Supplier<List<Bits128>> namespaces)
      throws IOException {
    String temporary = name + Directory.TEMPORARY;
    try (BlockFile file = directory.create(temporary)) {
      long at = PAGE;
      int most = Math.min(slots, SECTION_ENTRIES);
      long[] entries = new long[WORDS * most];
      MemorySegment buffer = Layout.pages((int) (sectionBytes(most) / PAGE));
      for (int from = 0; from < slots; from += SECTION_ENTRIES) {
        MemorySegment section = section(from, source, entries, buffer);
        file.write(section, at);
        at += section.byteSize();
      }
      List<Bits128> names = namespaces.get();
      MemorySegment list = names(names);
      if (!names.isEmpty()) {
        file.write(list, at);
      }
      file.write(head(names.size(), Layout.crc(list)), 0);
      file.force(true);
    }
    directory.rename(temporary, name);
    directory.force();
  }

  private MemorySegment section(int from, Source source, long[] entries, MemorySegment buffer) {
    int count = Math.min(slots - from, SECTION_ENTRIES);
    source.copy(from, from + count, entries);
    MemorySegment section = buffer.asSlice(0, sectionBytes(count));
    MemorySegment.copy(entries, 0, section, U64, 0, WORDS * count);
    section.asSlice((long) ENTRY * count).fill((byte) 0);
    long foot = section.byteSize() - ENTRY;
    section.set(U64, foot, seq);
    section.set(U64, foot + 8, storeId);
    section.set(U32, foot + 16, from / SECTION_ENTRIES);
    section.set(U32, foot + 20, count);
    section.set(U32, foot + 28, Layout.crc(section.asSlice(0, foot + 28)));
    return section;
  }

  private static MemorySegment names(List<Bits128> names) {
    MemorySegment list =
        Layout.pages((int) (Layout.roundUp(Math.max(1, 16L * names.size()), PAGE) / PAGE));
    for (int i = 0; i < names.size(); i++) {
      names.get(i).write(list, 16L * i);
    }
    return list;
  }

  private MemorySegment head(int names, int namesCrc) {
    MemorySegment page = Layout.pages(1);
    page.set(U32, 0, MAGIC);
    page.set(U16, 4, (short) Layout.VERSION);
    page.set(U64, 8, storeId);
    page.set(U64, 16, seq);
    page.set(U32, 24, slots);
    page.set(U32, 28, names);
    page.set(U32, 32, namesCrc);
    page.set(U32, CRC_AT, Layout.crc(page.asSlice(0, CRC_AT)));
    return page;
  }
}
