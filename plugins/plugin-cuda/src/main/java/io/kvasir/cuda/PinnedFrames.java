package io.kvasir.cuda;

import io.kvasir.api.store.FrameSource;
import io.kvasir.api.store.StoreException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * What a backend asks of its frames, and pinning. A frame that cannot be pinned is usable still.
 */
final class PinnedFrames implements FrameSource {
  private static final long LARGEST_PIECE = 1L << 30; // pinning much at once stops the device

  private final FrameSource frames;
  private final Devices devices;
  private final Logger log;
  private final AtomicBoolean said = new AtomicBoolean();

  PinnedFrames(FrameSource frames, Devices devices, Logger log) {
    this.frames = frames;
    this.devices = devices;
    this.log = log;
  }

  @Override
  public long alignment() {
    return frames.alignment();
  }

  @Override
  public long frameBytes(long payloadBytes) {
    return frames.frameBytes(payloadBytes);
  }

  @Override
  public long pieceBytes() {
    return Math.min(frames.pieceBytes(), LARGEST_PIECE);
  }

  @Override
  public void register(MemorySegment piece) throws StoreException {
    frames.register(piece);
    try {
      devices.register(piece);
    } catch (CudaException e) {
      if (!said.getAndSet(true)) {
        log.log(
            Level.WARNING,
            "frames of %d bytes cannot be pinned and go through a slab; raise the limit of locked memory: %s"
                .formatted(piece.byteSize(), e.getMessage()));
      }
    }
  }

  @Override
  public void unregister(MemorySegment piece) {
    devices.unregister(piece);
    frames.unregister(piece);
  }
}
