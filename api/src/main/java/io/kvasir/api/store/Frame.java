package io.kvasir.api.store;

import java.lang.foreign.MemorySegment;

/**
 * Memory that holds one block on its way: native, aligned as its {@link FrameSource} says, open to
 * every thread (of a shared, automatic or global arena), payload first. The room behind the payload
 * belongs to the store.
 *
 * @param memory all of the frame
 * @param payloadBytes size of the payload in bytes
 */
public record Frame(MemorySegment memory, long payloadBytes) {
  /** Checks that the payload fits. */
  public Frame {
    if (payloadBytes < 1 || payloadBytes > memory.byteSize()) {
      throw new IllegalArgumentException(
          "a payload of %d bytes in a frame of %d".formatted(payloadBytes, memory.byteSize()));
    }
  }

  /** {@return the payload} */
  public MemorySegment payload() {
    return memory.asSlice(0, payloadBytes);
  }
}
