package io.kvasir.plugin.local;

import static io.kvasir.plugin.local.Layout.TRAILER;
import static io.kvasir.plugin.local.Layout.U16;
import static io.kvasir.plugin.local.Layout.U32;
import static io.kvasir.plugin.local.Layout.U64;
import static io.kvasir.plugin.local.Layout.VERSION;

import java.lang.foreign.MemorySegment;

/**
 * The last 128 bytes of a slot: whose bytes these are. Written in one write with the payload,
 * compared at each load.
 */
record Trailer(long storeId, int slot, long seq, PutRecord put) {
  private static final int MAGIC = 0x5453564b; // "KVST"
  private static final int CRC_AT = TRAILER - 4;

  /** Writes it at the end of {@code slot}, with zeros between the payload and itself. */
  void write(MemorySegment slot) {
    long end = slot.byteSize() - TRAILER;
    slot.asSlice(put.length(), end - put.length()).fill((byte) 0);
    MemorySegment to = slot.asSlice(end, TRAILER).fill((byte) 0);
    to.set(U32, 0, MAGIC);
    to.set(U16, 4, (short) VERSION);
    put.key().write(to, 8);
    to.set(U32, 64, put.length());
    to.set(U32, 68, put.crc());
    to.set(U32, 72, this.slot);
    to.set(U32, 76, put.depth());
    to.set(U64, 80, seq);
    to.set(U64, 88, storeId);
    put.parent().write(to, 96);
    to.set(U32, 112, put.clock());
    to.set(U32, CRC_AT, Layout.crc(to.asSlice(0, CRC_AT)));
  }

  /** Reads the trailer of a whole slot; null where there is none, or not a whole one. */
  static Trailer read(MemorySegment slot) {
    MemorySegment from = slot.asSlice(slot.byteSize() - TRAILER, TRAILER);
    if (from.get(U32, 0) != MAGIC
        || from.get(U16, 4) != VERSION
        || from.get(U32, CRC_AT) != Layout.crc(from.asSlice(0, CRC_AT))) {
      return null;
    }
    PutRecord put =
        new PutRecord(
            from.get(U32, 72),
            Key.read(from, 8),
            from.get(U32, 64),
            from.get(U32, 68),
            from.get(U32, 76),
            from.get(U32, 112),
            Bits128.read(from, 96));
    return new Trailer(from.get(U64, 88), put.slot(), from.get(U64, 80), put);
  }

  /** Whether the payload in front of it is the one that it was written for. */
  boolean guards(MemorySegment slot) {
    int length = put.length();
    return length >= 0
        && length <= slot.byteSize() - TRAILER
        && Layout.crc(slot.asSlice(0, length)) == put.crc();
  }
}
