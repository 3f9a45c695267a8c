package io.kvasir.plugin.local;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kvasir.plugin.local.LogPage.Kind;
import io.kvasir.plugin.local.LogPage.NamespaceEnd;
import io.kvasir.plugin.local.LogPage.Tombstone;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The bytes on the disk are those that FORMAT.md gives: a change here is a change of the format's
 * version.
 */
class FormatTest {
  private static final Key KEY = new Key(new Bits128(0x11, 0x12), 0x13, 0x14, 1, 2, 3, 4);
  private static final PutRecord PUT =
      new PutRecord(5, KEY, 4000, 0x66, 7, 8, new Bits128(0x91, 0x92));

  @Test
  void aHeaderLiesWhereTheFormatSays() {
    Header header = Header.first(0xABCD, 8192, 16384).grownTo(3);
    MemorySegment page = Layout.pages(1);
    header.write(page);
    assertEquals(0x3153564b, page.get(Layout.U32, 0));
    assertEquals(1, page.get(Layout.U16, 4));
    assertEquals(0xABCD, page.get(Layout.U64, 8));
    assertEquals(8192, page.get(Layout.U32, 16));
    assertEquals(8064, page.get(Layout.U32, 20));
    assertEquals(16384, page.get(Layout.U32, 24));
    assertEquals(3, page.get(Layout.U32, 28));
    assertEquals(2, page.get(Layout.U64, 32));
    assertEquals(66L << 20, page.get(Layout.U64, 40));
    assertEquals(header, Header.read(page));
  }

  @Test
  void aLogPageLiesWhereTheFormatSays() {
    LogPage log =
        new LogPage(
            Kind.REJECTION,
            2,
            3,
            4,
            5,
            List.of(PUT),
            List.of(new Tombstone(6, 7, 8), new NamespaceEnd(new Bits128(9, 10))));
    MemorySegment page = Layout.pages(1);
    log.write(page, 0xABCD);
    assertEquals(2, page.get(Layout.U16, 6));
    assertEquals(2, page.get(Layout.U64, 8));
    assertEquals(3, page.get(Layout.U64, 16));
    assertEquals(4, page.get(Layout.U64, 24));
    assertEquals(1, page.get(Layout.U16, 34));
    assertEquals(1, page.get(Layout.U16, 36));
    assertEquals(2, page.get(Layout.U16, 38));
    assertEquals(0xABCD, page.get(Layout.U64, 40));
    assertEquals(5, page.get(Layout.U64, 48));
    assertEquals(1, page.get(Layout.U32, 64));
    assertEquals(5, page.get(Layout.U32, 68));
    assertEquals(0x11, page.get(Layout.U64, 72));
    assertEquals(0x13, page.get(Layout.U32, 88));
    assertEquals(4, page.get(Layout.U64, 120));
    assertEquals(4000, page.get(Layout.U32, 128));
    assertEquals(0x92, page.get(Layout.U64, 152));
    assertEquals(2, page.get(Layout.U32, 160));
    assertEquals(7, page.get(Layout.U64, 168));
    assertEquals(3, page.get(Layout.U32, 184));
    assertEquals(9, page.get(Layout.U64, 192));
    assertEquals(log, LogPage.read(page, 0xABCD));
    assertEquals(168, LogPage.MAX_ENDINGS_ALONE);
  }

  @Test
  void aTrailerLiesAtTheEndOfItsSlot() {
    MemorySegment slot = Layout.pages(2).fill((byte) 1);
    PutRecord put =
        new PutRecord(
            5, KEY, 4000, Layout.crc(slot.asSlice(0, 4000)), 7, 8, new Bits128(0x91, 0x92));
    Trailer trailer = new Trailer(0xABCD, 5, 0x99, put);
    trailer.write(slot);
    MemorySegment at = slot.asSlice(8192 - 128);
    assertEquals(0x5453564b, at.get(Layout.U32, 0));
    assertEquals(0x11, at.get(Layout.U64, 8));
    assertEquals(4000, at.get(Layout.U32, 64));
    assertEquals(5, at.get(Layout.U32, 72));
    assertEquals(7, at.get(Layout.U32, 76));
    assertEquals(0x99, at.get(Layout.U64, 80));
    assertEquals(0xABCD, at.get(Layout.U64, 88));
    assertEquals(0x91, at.get(Layout.U64, 96));
    assertEquals(8, at.get(Layout.U32, 112));
    assertEquals(0, slot.get(Layout.U64, 4000));
    assertEquals(trailer, Trailer.read(slot));
    assertEquals(true, trailer.guards(slot));
  }
}
