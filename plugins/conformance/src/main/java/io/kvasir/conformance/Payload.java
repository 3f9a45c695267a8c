package io.kvasir.conformance;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** Bytes that follow from a number, so that any wrong byte is found by computing them again. */
public final class Payload {
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private Payload() {}

  /** Fills memory with the bytes of a number. */
  public static void fill(MemorySegment to, long number) {
    long words = to.byteSize() / 8;
    for (long i = 0; i < words; i++) {
      to.set(LONG, i * 8, word(number, i));
    }
    for (long at = words * 8; at < to.byteSize(); at++) {
      to.set(ValueLayout.JAVA_BYTE, at, (byte) (word(number, words) >>> (8 * (at & 7))));
    }
  }

  /** {@return the first byte that is not of that number, or −1} */
  public static long firstWrong(MemorySegment bytes, long number) {
    long words = bytes.byteSize() / 8;
    for (long i = 0; i < words; i++) {
      if (bytes.get(LONG, i * 8) != word(number, i)) {
        return i * 8;
      }
    }
    for (long at = words * 8; at < bytes.byteSize(); at++) {
      if (bytes.get(ValueLayout.JAVA_BYTE, at) != (byte) (word(number, words) >>> (8 * (at & 7)))) {
        return at;
      }
    }
    return -1;
  }

  /** {@return the bytes of a number} */
  public static byte[] bytes(int size, long number) {
    byte[] out = new byte[size];
    fill(MemorySegment.ofArray(out), number);
    return out;
  }

  private static long word(long number, long index) {
    return mix(number + index * 0x9e3779b97f4a7c15L);
  }

  /** {@return a number that follows from another and looks like chance (SplitMix64)} */
  public static long mix(long z) {
    long x = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
    x = (x ^ (x >>> 27)) * 0x94d049bb133111ebL;
    return x ^ (x >>> 31);
  }
}
