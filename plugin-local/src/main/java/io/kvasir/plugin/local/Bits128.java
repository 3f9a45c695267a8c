package io.kvasir.plugin.local;

import static io.kvasir.plugin.local.Layout.U64;

import java.lang.foreign.MemorySegment;
import java.util.HexFormat;

/** Sixteen bytes, taken and given verbatim: a fingerprint, or the first half of a namespace id. */
record Bits128(long first, long second) {
  static final Bits128 ZERO = new Bits128(0, 0);

  /** The first sixteen bytes. */
  static Bits128 of(byte[] bytes) {
    return read(MemorySegment.ofArray(bytes), 0);
  }

  static Bits128 read(MemorySegment from, long at) {
    return new Bits128(from.get(U64, at), from.get(U64, at + 8));
  }

  void write(MemorySegment to, long at) {
    to.set(U64, at, first);
    to.set(U64, at + 8, second);
  }

  String hex() {
    byte[] bytes = new byte[16];
    write(MemorySegment.ofArray(bytes), 0);
    return HexFormat.of().formatHex(bytes);
  }
}
