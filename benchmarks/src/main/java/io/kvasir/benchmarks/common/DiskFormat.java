package io.kvasir.benchmarks.common;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import io.kvasir.api.identity.BlockKeys;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/**
 * Pages, trailers and sections of plugin-local, version 1, written after its {@code FORMAT.md} and
 * not with its code: a store must be what the document says.
 *
 * @param storeId of the directory
 * @param payload bytes of a block
 * @param slots of the file
 * @param logPages of the ring
 */
record DiskFormat(long storeId, int payload, int slots, int logPages) {
  static final int PAGE = 4096;

  /** Puts of a batch. */
  static final int PUTS = 32;

  /** Entries of a section of a checkpoint. */
  static final int SECTION = 32767;

  private static final int VERSION = 1;
  private static final int PUT = 96;
  private static final int ENTRY = 32;
  private static final int TRAILER = 128;
  private static final ValueLayout.OfShort U16 =
      JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfInt U32 =
      JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfLong U64 =
      JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  /**
   * A block of a chain in a slot.
   *
   * @param block its place in the chain
   * @param clock of its last use
   * @param crc of its payload
   */
  record Put(int slot, BlockKeys chain, int block, int clock, int crc) {}

  /** A page of the log, but for its puts. */
  record Page(long seq, long flushedThrough, long checkpointSeq) {}

  int slotBytes() {
    return (int) roundUp(payload + TRAILER, PAGE);
  }

  long logPosition(long seq) {
    return (2 + seq % logPages) * PAGE;
  }

  long slotPosition(int slot) {
    return roundUp((2L + logPages) * PAGE, 2 << 20) + (long) slot * slotBytes();
  }

  MemorySegment header() {
    MemorySegment page = zeros(PAGE);
    page.set(U32, 0, magic("KVS1"));
    page.set(U16, 4, (short) VERSION);
    page.set(U64, 8, storeId);
    page.set(U32, 16, slotBytes());
    page.set(U32, 20, slotBytes() - TRAILER);
    page.set(U32, 24, logPages);
    page.set(U32, 28, slots);
    page.set(U64, 32, 2); // an even generation: the page at 0
    page.set(U64, 40, slotPosition(0));
    page.set(U32, PAGE - 4, crc(page.asSlice(0, PAGE - 4)));
    return page;
  }

  MemorySegment page(Page of, Iterable<Put> puts) {
    MemorySegment page = zeros(PAGE);
    page.set(U32, 0, magic("KVS1"));
    page.set(U16, 4, (short) VERSION);
    page.set(U64, 8, 1);
    page.set(U64, 16, of.seq);
    page.set(U64, 24, of.flushedThrough);
    page.set(U16, 34, (short) 1);
    page.set(U64, 40, storeId);
    page.set(U64, 48, of.checkpointSeq);
    short count = 0;
    for (Put put : puts) {
      MemorySegment record = page.asSlice(64 + (long) PUT * count++, PUT);
      record.set(U32, 0, 1);
      record.set(U32, 4, put.slot);
      key(put, record, 8);
      record.set(U32, 64, payload);
      record.set(U32, 68, put.crc);
      record.set(U32, 72, put.block);
      record.set(U32, 76, put.clock);
      parent(put, record, 80);
    }
    page.set(U16, 36, count);
    page.set(U32, 60, crc(page));
    return page;
  }

  /** Writes the trailer into a slot whose payload is there. */
  void trailer(MemorySegment slot, Put put, long seq) {
    MemorySegment trailer = slot.asSlice(slotBytes() - TRAILER, TRAILER);
    trailer.set(U32, 0, magic("KVST"));
    trailer.set(U16, 4, (short) VERSION);
    key(put, trailer, 8);
    trailer.set(U32, 64, payload);
    trailer.set(U32, 68, put.crc);
    trailer.set(U32, 72, put.slot);
    trailer.set(U32, 76, put.block);
    trailer.set(U64, 80, seq);
    trailer.set(U64, 88, storeId);
    parent(put, trailer, 96);
    trailer.set(U32, 112, put.clock);
    trailer.set(U32, 124, crc(trailer.asSlice(0, 124)));
  }

  private static void key(Put put, MemorySegment to, long at) {
    MemorySegment.copy(put.chain.namespace().id().bytes(), 0, to, JAVA_BYTE, at, 16);
    to.set(U32, at + 16, put.chain.group());
    to.set(U32, at + 20, put.chain.shard());
    MemorySegment.copy(put.chain.hash(put.block), 0, to, JAVA_BYTE, at + 24, 32);
  }

  private static void parent(Put put, MemorySegment to, long at) {
    byte[] parent = put.chain.parentFingerprint(put.block);
    if (parent != null) {
      MemorySegment.copy(parent, 0, to, JAVA_BYTE, at, 16);
    }
  }

  int sections() {
    return (slots + SECTION - 1) / SECTION;
  }

  /** A section of a checkpoint, with the puts that it holds. */
  MemorySegment section(int number, long seq, Iterable<Put> puts) {
    int first = number * SECTION;
    int count = Math.min(slots - first, SECTION);
    MemorySegment section = zeros((int) roundUp((long) ENTRY * count + ENTRY, PAGE));
    for (Put put : puts) {
      MemorySegment entry = section.asSlice((long) (put.slot - first) * ENTRY, ENTRY);
      MemorySegment.copy(put.chain.fingerprint(put.block), 0, entry, JAVA_BYTE, 0, 16);
      entry.set(U32, 16, put.crc);
      entry.set(U32, 20, payload);
      entry.set(U32, 24, put.clock);
      entry.set(U16, 28, (short) put.block);
      entry.set(U16, 30, (short) 1);
    }
    MemorySegment foot = section.asSlice(section.byteSize() - ENTRY, ENTRY);
    foot.set(U64, 0, seq);
    foot.set(U64, 8, storeId);
    foot.set(U32, 16, number);
    foot.set(U32, 20, count);
    foot.set(U32, 28, crc(section.asSlice(0, section.byteSize() - 4)));
    return section;
  }

  /** The namespaces of a checkpoint: one. */
  static MemorySegment namespaces(BlockKeys keys) {
    MemorySegment list = zeros(PAGE);
    MemorySegment.copy(keys.namespace().id().bytes(), 0, list, JAVA_BYTE, 0, 16);
    return list;
  }

  MemorySegment checkpointHead(long seq, MemorySegment namespaces) {
    MemorySegment page = zeros(PAGE);
    page.set(U32, 0, magic("KVSC"));
    page.set(U16, 4, (short) VERSION);
    page.set(U64, 8, storeId);
    page.set(U64, 16, seq);
    page.set(U32, 24, slots);
    page.set(U32, 28, 1);
    page.set(U32, 32, crc(namespaces));
    page.set(U32, PAGE - 4, crc(page.asSlice(0, PAGE - 4)));
    return page;
  }

  static int crc(MemorySegment bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes.asByteBuffer());
    return (int) crc.getValue();
  }

  private static MemorySegment zeros(int bytes) {
    return MemorySegment.ofArray(new byte[bytes]);
  }

  private static int magic(String letters) {
    return MemorySegment.ofArray(letters.getBytes(StandardCharsets.US_ASCII)).get(U32, 0);
  }

  private static long roundUp(long value, long multiple) {
    return (value + multiple - 1) / multiple * multiple;
  }
}
