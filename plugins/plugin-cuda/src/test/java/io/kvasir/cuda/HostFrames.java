package io.kvasir.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kvasir.api.store.FrameSource;
import io.kvasir.api.store.StoreException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** Frames as the core cuts them: evenly spaced in two pieces, lent in an order of chance. */
final class HostFrames implements AutoCloseable {
  private static final byte CANARY = 0x5A;

  private final FrameSource source;
  private final Arena arena = Arena.ofShared();
  private final List<MemorySegment> pieces = new ArrayList<>();
  private final long payloadBytes;
  private final long stride;
  final List<MemorySegment> payloads = new ArrayList<>();

  /**
   * Creates frames.
   *
   * @param source whose pieces they are; null for memory that nobody registers
   */
  HostFrames(FrameSource source, int count, long payloadBytes, int alignment, Random random)
      throws StoreException {
    this.source = source;
    this.payloadBytes = payloadBytes;
    this.stride = (payloadBytes + alignment - 1) / alignment * alignment;
    for (int made = 0; made < count; ) {
      int here = Math.min(count - made, (count + 1) / 2);
      MemorySegment piece = arena.allocate((here * stride + 4095) & -4096, 4096);
      piece.fill(CANARY);
      if (source != null) {
        source.register(piece);
      }
      pieces.add(piece);
      for (int i = 0; i < here; i++, made++) {
        payloads.add(piece.asSlice(i * stride, payloadBytes));
      }
    }
    switch (random.nextInt(3)) {
      case 0 -> {}
      case 1 -> Collections.reverse(payloads); // as they come back to a pool
      default -> Collections.shuffle(payloads, random);
    }
  }

  byte[] bytes(int block) {
    return payloads.get(block).toArray(ValueLayout.JAVA_BYTE);
  }

  /** Fails if a byte between the payloads was written. */
  void check() {
    for (MemorySegment piece : pieces) {
      for (long at = 0; at < piece.byteSize(); at++) {
        if (at % stride >= payloadBytes) {
          assertEquals(CANARY, piece.get(ValueLayout.JAVA_BYTE, at), "beside a payload, at " + at);
        }
      }
    }
  }

  @Override
  public void close() {
    if (source != null) {
      pieces.forEach(source::unregister);
    }
    arena.close();
  }
}
