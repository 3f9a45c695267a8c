package io.kvasir.plugin.local;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * Sizes and number formats that all parts of the on-disk format share: little endian, pages of 4096
 * bytes.
 */
final class Layout {
  static final int PAGE = 4096;
  static final int TRAILER = 128;
  static final int VERSION = 1;
  static final int HEADER_PAGES = 2;
  static final int SLOT_ALIGNMENT = 2 << 20;

  static final ValueLayout.OfShort U16 =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  static final ValueLayout.OfInt U32 =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  static final ValueLayout.OfLong U64 =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private Layout() {}

  static long roundUp(long value, long multiple) {
    return (value + multiple - 1) / multiple * multiple;
  }

  /** Bytes of the slot that holds a payload and its trailer. */
  static long slotBytes(long payload) {
    return roundUp(payload + TRAILER, PAGE);
  }

  static MemorySegment pages(int count) {
    return Arena.ofAuto().allocate((long) count * PAGE, PAGE);
  }

  static int crc(MemorySegment bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes.asByteBuffer());
    return (int) crc.getValue();
  }
}
