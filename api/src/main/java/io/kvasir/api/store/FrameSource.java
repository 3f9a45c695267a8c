package io.kvasir.api.store;

import java.lang.foreign.MemorySegment;

/**
 * SPI: what a backend asks of the core's frames. The core allocates pieces of native memory, cuts
 * frames from them, and lends frames to one call at a time.
 */
public interface FrameSource {
  /** Frames of plain memory. */
  FrameSource HOST = new FrameSource() {};

  /** {@return the alignment of a frame in bytes, a power of two} */
  default long alignment() {
    return 64;
  }

  /** {@return the bytes of a frame for a payload: at least the payload} */
  default long frameBytes(long payloadBytes) {
    return payloadBytes;
  }

  /** {@return the largest piece to allocate at once, in bytes; at most 1 GiB} */
  default long pieceBytes() {
    return 64L << 20;
  }

  /**
   * Called with each piece before the first frame of it is used: register it with a network, pin it
   * for a device.
   *
   * @throws StoreException if the piece cannot be used; the core then has fewer frames
   */
  default void register(MemorySegment piece) throws StoreException {}

  /** Called when no frame of the piece is in use and none will be. */
  default void unregister(MemorySegment piece) {}
}
