package io.kvasir.plugin.mooncake;

import io.kvasir.api.store.FrameSource;
import io.kvasir.api.store.StoreException;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Frames that are put and got as they are: room for the trailer behind the payload, and as large a
 * piece as the core allocates, registered once. RDMA needs it, TCP does not mind.
 */
final class Frames implements FrameSource {
  private static final long LARGEST_PIECE = 1L << 30;

  private final Session session;
  private final AtomicLong registered = new AtomicLong();

  Frames(Session session) {
    this.session = session;
  }

  @Override
  public long frameBytes(long payloadBytes) {
    return payloadBytes + Trailer.BYTES;
  }

  @Override
  public long pieceBytes() {
    return LARGEST_PIECE;
  }

  /** A store that is closed needs no registered memory: its calls end before they use it. */
  @Override
  public void register(MemorySegment piece) throws StoreException {
    if (!session.enter()) {
      return;
    }
    try {
      int code = session.abi().registerBuffer(session.handle(), piece.address(), piece.byteSize());
      if (code != Codes.OK) {
        throw Codes.failure(
            "registering %d bytes of frames (a range may be registered once)"
                .formatted(piece.byteSize()),
            code);
      }
      registered.addAndGet(piece.byteSize());
    } finally {
      session.leave();
    }
  }

  /** A store that is closed has let everything go. */
  @Override
  public void unregister(MemorySegment piece) {
    if (session.enter()) {
      try {
        if (session.abi().unregisterBuffer(session.handle(), piece.address()) == Codes.OK) {
          registered.addAndGet(-piece.byteSize());
        }
      } finally {
        session.leave();
      }
    }
  }

  long registeredBytes() {
    return registered.get();
  }
}
