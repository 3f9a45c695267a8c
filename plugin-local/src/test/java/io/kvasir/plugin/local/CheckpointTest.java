package io.kvasir.plugin.local;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CheckpointTest {
  private static final long STORE = 77;
  private static final List<Bits128> NAMES = List.of(new Bits128(1, 2), new Bits128(3, 4));
  private final MemoryDirectory directory = new MemoryDirectory();

  private static SlotTable table(int slots) {
    Random random = new Random(slots);
    SlotTable table = new SlotTable();
    table.grow(slots);
    for (int slot = 0; slot < slots; slot++) {
      if (slot == slots - 1 || random.nextInt(4) != 0) {
        table.publish(
            slot,
            new SlotTable.Entry(
                new Bits128(random.nextLong(), random.nextLong()),
                1 + slot,
                random.nextInt(),
                random.nextInt(1 << 30),
                random.nextInt(),
                random.nextInt(0x10000),
                random.nextInt(2)));
      }
    }
    table.freeAllTaken(0);
    return table;
  }

  private void write(SlotTable table) throws IOException {
    new Checkpoint(STORE, 1L << 40, table.slots())
        .write(
            directory, "c", (from, to, entries) -> table.copy(from, to, entries, 0), () -> NAMES);
  }

  private CheckpointReader reader() throws IOException {
    return new CheckpointReader(directory.open("c"), "c", STORE);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 126, 127, 128, 32_766, 32_767, 32_768, 65_533, 65_534, 65_535})
  void whatIsWrittenIsReadBackAtTheBordersOfSections(int slots) throws IOException {
    SlotTable written = table(slots);
    write(written);
    SlotTable read = new SlotTable();
    read.grow(slots);
    assertEquals(new Checkpoint(STORE, 1L << 40, slots), reader().head());
    assertEquals(NAMES, reader().read(read::load));
    read.loaded();
    read.freeAllTaken(0);
    assertEquals(written.census(), read.census());
    assertEquals(written.liveBytes(), read.liveBytes());
    for (int slot = 0; slot < slots; slot++) {
      assertEquals(written.isLive(slot), read.isLive(slot));
      if (read.isLive(slot)) {
        SlotTable.Entry entry = written.entry(slot);
        assertEquals(slot, read.find(entry.print()));
        assertEquals(0, read.seq(slot));
        assertEquals(
            entry,
            new SlotTable.Entry(
                read.entry(slot).print(),
                1 + slot,
                read.entry(slot).crc(),
                read.entry(slot).length(),
                read.entry(slot).clock(),
                read.entry(slot).depth(),
                read.entry(slot).namespace()));
      }
    }
    assertTrue(directory.size("c") <= Checkpoint.FIXED_BYTES + 33L * slots);
  }

  /** As the slab writes it, a slice at a time under its lock. */
  @Test
  void slicesMakeTheSameFileAsTheWhole() throws Exception {
    SlotTable table = table(5000);
    write(table);
    SlabFile file = SlabFile.create(directory, Header.first(STORE, 4096, 16));
    NamespaceNumbers numbers = new NamespaceNumbers();
    NAMES.forEach(numbers::of);
    SlabState state =
        new SlabState(
            new Recovery.Result(
                table, numbers, new Ring(16, Rules.KEPT), List.of(), 0, 0, 0, 1, List.of()),
            Fixture.slab(),
            Fixture.SPACE,
            Rules.KEPT);
    ReentrantLock lock = new ReentrantLock();
    GroupFlush flush = new GroupFlush(file.file(), new Metrics());
    new CheckpointWriter(lock, lock.newCondition(), directory, file, state, flush, Rules.KEPT)
        .write(1L << 40, 5000);
    assertArrayEquals(directory.read("c"), directory.read(Checkpoint.name(4096)));
    assertEquals(1L << 40, state.ring.checkpointSeq());
  }

  @Test
  void entriesLieWhereTheFormatSays() throws IOException {
    SlotTable table = new SlotTable();
    table.grow(3);
    table.publish(1, new SlotTable.Entry(new Bits128(0x11, 0x12), 9, -2, 0x14, -3, 70_000, 4));
    write(table);
    MemorySegment file = MemorySegment.ofArray(directory.read("c"));
    assertEquals(0x4353564b, file.get(Layout.U32, 0));
    assertEquals(1, file.get(Layout.U16, 4));
    assertEquals(STORE, file.get(Layout.U64, 8));
    assertEquals(1L << 40, file.get(Layout.U64, 16));
    assertEquals(3, file.get(Layout.U32, 24));
    assertEquals(2, file.get(Layout.U32, 28));
    assertEquals(0, file.get(Layout.U16, 4096 + 30));
    MemorySegment entry = file.asSlice(4096 + 32);
    assertEquals(0x11, entry.get(Layout.U64, 0));
    assertEquals(0x12, entry.get(Layout.U64, 8));
    assertEquals(-2, entry.get(Layout.U32, 16));
    assertEquals(0x14, entry.get(Layout.U32, 20));
    assertEquals(-3, entry.get(Layout.U32, 24));
    assertEquals((short) 65_535, entry.get(Layout.U16, 28));
    assertEquals(5, entry.get(Layout.U16, 30));
    assertEquals(1L << 40, file.get(Layout.U64, 8192 - 32));
    assertEquals(STORE, file.get(Layout.U64, 8192 - 24));
    assertEquals(0, file.get(Layout.U32, 8192 - 16));
    assertEquals(3, file.get(Layout.U32, 8192 - 12));
    assertEquals(2, file.get(Layout.U64, 8192 + 8));
    assertEquals(3 * 4096, file.byteSize());
  }

  @Test
  void sectionsThatLieInEachOthersPlaceAreRefused() throws IOException {
    write(table(2 * Checkpoint.SECTION_ENTRIES));
    byte[] bytes = directory.read("c");
    byte[] swapped = bytes.clone();
    System.arraycopy(bytes, 4096, swapped, 4096 + (1 << 20), 1 << 20);
    System.arraycopy(bytes, 4096 + (1 << 20), swapped, 4096, 1 << 20);
    directory.write("c", swapped);
    FormatError e =
        assertThrows(FormatError.class, () -> reader().read((from, entries, count) -> {}));
    assertTrue(e.getMessage().contains("section 0 fails its checksum"), e.getMessage());
  }

  /** The checksum is right, the numbers are not: nothing is allocated for what cannot be there. */
  @ParameterizedTest
  @CsvSource({"24, -1", "24, 40000", "28, -1", "28, 2147483647"})
  void aHeadThatClaimsMoreThanTheFileHoldsIsRefused(int at, int claim) throws IOException {
    write(table(1));
    byte[] bytes = directory.read("c");
    MemorySegment head = MemorySegment.ofArray(bytes).asSlice(0, 4096);
    head.set(Layout.U32, at, claim);
    head.set(Layout.U32, 4092, Layout.crc(head.asSlice(0, 4092)));
    directory.write("c", bytes);
    FormatError e = assertThrows(FormatError.class, this::reader);
    assertTrue(e.getMessage().contains("it ends early"), e.getMessage());
  }

  @Test
  void anotherVersionIsRefused() throws IOException {
    write(table(1));
    byte[] bytes = directory.read("c");
    MemorySegment head = MemorySegment.ofArray(bytes).asSlice(0, 4096);
    head.set(Layout.U16, 4, (short) 2);
    head.set(Layout.U32, 4092, Layout.crc(head.asSlice(0, 4092)));
    directory.write("c", bytes);
    FormatError e = assertThrows(FormatError.class, this::reader);
    assertEquals(
        "checkpoint c: format version 2, this release reads 1; open it with the release that wrote"
            + " it, or configure an empty directory; nothing has been changed",
        e.getMessage());
  }
}
