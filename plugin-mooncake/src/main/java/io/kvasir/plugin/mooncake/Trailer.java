package io.kvasir.plugin.mooncake;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.identity.BlockKeys;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * The 128 bytes behind the payload in each value of a strict namespace: whose bytes these are.
 * Little-endian:
 *
 * <pre>
 *   0  u32       magic "KVMC"
 *   4  u16       version 1
 *   8  32 bytes  namespace id
 *  40  u32       group
 *  44  u32       shard
 *  48  32 bytes  hash
 *  80  u64       payload bytes
 *  88  u32       CRC-32C of the payload
 *  92  u32       index of the block in its chain, for people
 *  96  28 bytes  zeros
 * 124  u32       CRC-32C of the 124 bytes before
 * </pre>
 */
final class Trailer {
  static final int BYTES = 128;

  private static final int MAGIC = 0x434d564b; // "KVMC"
  private static final short VERSION = 1;
  private static final int NAMESPACE = 8;
  private static final int GROUP = 40;
  private static final int SHARD = 44;
  private static final int HASH = 48;
  private static final int LENGTH = 80;
  private static final int PAYLOAD_CRC = 88;
  private static final int DEPTH = 92;
  private static final int CRC = 124;
  private static final ValueLayout.OfShort U16 =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfInt U32 =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfLong U64 =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private Trailer() {}

  /** Writes the trailer of a block behind its payload. */
  static void seal(BlockKeys keys, int block, MemorySegment value) {
    long payload = keys.payloadBytes();
    MemorySegment to = value.asSlice(payload, BYTES).fill((byte) 0);
    to.set(U32, 0, MAGIC);
    to.set(U16, 4, VERSION);
    to.asSlice(NAMESPACE, 32).copyFrom(MemorySegment.ofArray(keys.namespace().id().bytes()));
    to.set(U32, GROUP, keys.group());
    to.set(U32, SHARD, keys.shard());
    to.asSlice(HASH, 32).copyFrom(MemorySegment.ofArray(keys.hash(block)));
    to.set(U64, LENGTH, payload);
    to.set(U32, PAYLOAD_CRC, crc(value.asSlice(0, payload)));
    to.set(U32, DEPTH, keys.firstBlock() + block);
    to.set(U32, CRC, crc(to.asSlice(0, CRC)));
  }

  /**
   * {@return {@code OK} if these are the block's bytes; {@code CORRUPT} if they are nobody's,
   * {@code MISMATCH} if they are whole and another key's}
   */
  static BlockStatus check(BlockKeys keys, int block, MemorySegment value) {
    long payload = keys.payloadBytes();
    MemorySegment from = value.asSlice(payload, BYTES);
    if (from.get(U32, 0) != MAGIC
        || from.get(U16, 4) != VERSION
        || from.get(U32, CRC) != crc(from.asSlice(0, CRC))
        || from.get(U64, LENGTH) != payload
        || from.get(U32, PAYLOAD_CRC) != crc(value.asSlice(0, payload))) {
      return BlockStatus.CORRUPT;
    }
    boolean own =
        is(from, NAMESPACE, keys.namespace().id().bytes())
            && from.get(U32, GROUP) == keys.group()
            && from.get(U32, SHARD) == keys.shard()
            && is(from, HASH, keys.hash(block));
    return own ? BlockStatus.OK : BlockStatus.MISMATCH;
  }

  private static boolean is(MemorySegment trailer, int at, byte[] bytes) {
    return trailer.asSlice(at, bytes.length).mismatch(MemorySegment.ofArray(bytes)) < 0;
  }

  private static int crc(MemorySegment bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes.asByteBuffer());
    return (int) crc.getValue();
  }
}
