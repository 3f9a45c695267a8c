package io.kvasir.plugin.local;

import static io.kvasir.plugin.local.Layout.PAGE;
import static io.kvasir.plugin.local.Layout.U16;
import static io.kvasir.plugin.local.Layout.U32;
import static io.kvasir.plugin.local.Layout.U64;

import java.lang.foreign.MemorySegment;

/**
 * The geometry of a slab file. It stands twice, in pages 0 and 1; the newer whole one counts, so
 * that a torn update leaves the older one.
 */
record Header(int version, long storeId, int slotBytes, int logPages, int slots, long generation) {
  private static final int MAGIC = 0x3153564b; // "KVS1"
  private static final int CRC_AT = PAGE - 4;

  static Header first(long storeId, int slotBytes, int logPages) {
    return new Header(Layout.VERSION, storeId, slotBytes, logPages, 0, 1);
  }

  Header grownTo(int newSlots) {
    return new Header(version, storeId, slotBytes, logPages, newSlots, generation + 1);
  }

  /**
   * What is there of a growth that a crash cut short; the next growth gets a generation of its own.
   */
  Header shrunkTo(int fewerSlots) {
    return new Header(version, storeId, slotBytes, logPages, fewerSlots, generation);
  }

  /** Where the page of this generation lies. */
  long position() {
    return (generation % Layout.HEADER_PAGES) * PAGE;
  }

  long logPosition(int page) {
    return ((long) Layout.HEADER_PAGES + page) * PAGE;
  }

  long logEnd() {
    return logPosition(logPages);
  }

  long slotPosition(int slot) {
    return Layout.roundUp(logEnd(), Layout.SLOT_ALIGNMENT) + (long) slot * slotBytes;
  }

  void write(MemorySegment to) {
    to.fill((byte) 0);
    to.set(U32, 0, MAGIC);
    to.set(U16, 4, (short) version);
    to.set(U64, 8, storeId);
    to.set(U32, 16, slotBytes);
    to.set(U32, 20, slotBytes - Layout.TRAILER);
    to.set(U32, 24, logPages);
    to.set(U32, 28, slots);
    to.set(U64, 32, generation);
    to.set(U64, 40, slotPosition(0));
    to.set(U32, CRC_AT, Layout.crc(to.asSlice(0, CRC_AT)));
  }

  /** Reads a header page; null where there is none, or not a whole one. */
  static Header read(MemorySegment from) {
    if (from.get(U32, 0) != MAGIC || from.get(U32, CRC_AT) != Layout.crc(from.asSlice(0, CRC_AT))) {
      return null;
    }
    return new Header(
        from.get(U16, 4),
        from.get(U64, 8),
        from.get(U32, 16),
        from.get(U32, 24),
        from.get(U32, 28),
        from.get(U64, 32));
  }
}
