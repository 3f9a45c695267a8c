package io.kvasir.api.store;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.identity.BlockKeys;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * A block's payload with what proves it, for backends that keep values and no records of their own:
 * a file, an object, a value of a key-value store.
 *
 * <p>The trailer of 32 bytes, big-endian: u32 magic {@code KVB1}, u64 length of the payload, the
 * 16-byte fingerprint of the key, u32 CRC-32C over the payload and the trailer before it.
 */
public final class SealedBlock {
  /** Bytes behind the payload. */
  public static final int TRAILER_BYTES = 32;

  private static final int MAGIC = 0x4b564231;

  private SealedBlock() {}

  /** {@return the payload of a block that is to be saved, and its trailer} */
  public static byte[] seal(Blocks from, int block) {
    return seal(from.keys(), block, from.frame(block).payload());
  }

  /** {@return the payload and its trailer} */
  public static byte[] seal(BlockKeys keys, int block, MemorySegment payload) {
    int length = Math.toIntExact(payload.byteSize());
    byte[] sealed = new byte[Math.addExact(length, TRAILER_BYTES)];
    MemorySegment.copy(payload, ValueLayout.JAVA_BYTE, 0, sealed, 0, length);
    ByteBuffer trailer = ByteBuffer.wrap(sealed, length, TRAILER_BYTES);
    trailer.putInt(MAGIC).putLong(length).put(keys.fingerprint(block));
    trailer.putInt(crc(sealed));
    return sealed;
  }

  /**
   * Copies the payload of a sealed block into the frame of a block that is to be loaded.
   *
   * @param sealed what lies under its key, null if nothing does
   * @return {@code MISS} if nothing does, else as {@link #open(BlockKeys, int, byte[],
   *     MemorySegment)}
   */
  public static BlockStatus open(Blocks into, int block, byte[] sealed) {
    return sealed == null
        ? BlockStatus.MISS
        : open(into.keys(), block, sealed, into.frame(block).payload());
  }

  /**
   * Copies the payload of a sealed block, if it is whole and the key's.
   *
   * @param sealed what {@link #seal} returned for this key, or anything else
   * @param payload where the payload goes; untouched unless the result is {@code OK}
   * @return {@code OK}; {@code CORRUPT} if the bytes are not what was sealed; {@code MISMATCH} if
   *     they are whole and another key's, or of another size
   */
  public static BlockStatus open(BlockKeys keys, int block, byte[] sealed, MemorySegment payload) {
    int length = sealed.length - TRAILER_BYTES;
    if (length < 0) {
      return BlockStatus.CORRUPT;
    }
    ByteBuffer trailer = ByteBuffer.wrap(sealed, length, TRAILER_BYTES);
    boolean whole = trailer.getInt() == MAGIC && trailer.getLong() == length;
    byte[] print = new byte[16];
    trailer.get(print);
    if (!whole || trailer.getInt() != crc(sealed)) {
      return BlockStatus.CORRUPT;
    }
    if (length != payload.byteSize() || !Arrays.equals(print, keys.fingerprint(block))) {
      return BlockStatus.MISMATCH;
    }
    MemorySegment.copy(sealed, 0, payload, ValueLayout.JAVA_BYTE, 0, length);
    return BlockStatus.OK;
  }

  private static int crc(byte[] sealed) {
    CRC32C crc = new CRC32C();
    crc.update(sealed, 0, sealed.length - Integer.BYTES);
    return (int) crc.getValue();
  }
}
