package io.kvasir.conformance;

import io.kvasir.api.store.Frame;
import io.kvasir.api.store.FrameSource;
import io.kvasir.api.store.StoreException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * Frames as the core makes them for a store, each between two guards whose bytes nobody may change.
 * Thread-safe.
 */
public final class TestFrames implements AutoCloseable {
  private static final byte GUARD = (byte) 0xC7;

  private record Piece(MemorySegment memory, long guard, long frame) {}

  private final FrameSource source;
  private final Arena arena = Arena.ofShared();
  private final List<Piece> pieces = new ArrayList<>();

  /** Creates frames as a store asks for them. */
  public TestFrames(FrameSource source) {
    this.source = source;
  }

  /** {@return a new frame, zeroed} */
  public synchronized Frame frame(long payloadBytes) {
    long alignment = Math.max(64, source.alignment());
    long frameBytes = source.frameBytes(payloadBytes);
    long room = Math.ceilDiv(frameBytes, alignment) * alignment;
    MemorySegment piece = arena.allocate(room + 2 * alignment, alignment);
    piece.fill(GUARD);
    try {
      source.register(piece);
    } catch (StoreException e) {
      throw new AssertionError("the store refuses a piece of frames", e);
    }
    pieces.add(new Piece(piece, alignment, frameBytes));
    MemorySegment memory = piece.asSlice(alignment, frameBytes);
    memory.fill((byte) 0);
    return new Frame(memory, payloadBytes);
  }

  /** {@return that many new frames} */
  public List<Frame> frames(int count, long payloadBytes) {
    List<Frame> out = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      out.add(frame(payloadBytes));
    }
    return out;
  }

  /** Fails if a byte beside a frame was changed. */
  public synchronized void checkGuards() {
    for (Piece piece : pieces) {
      MemorySegment m = piece.memory();
      guard(m.asSlice(0, piece.guard()));
      guard(m.asSlice(piece.guard() + piece.frame()));
    }
  }

  private static void guard(MemorySegment bytes) {
    for (long at = 0; at < bytes.byteSize(); at++) {
      if (bytes.get(java.lang.foreign.ValueLayout.JAVA_BYTE, at) != GUARD) {
        throw new AssertionError("a byte beside a frame was written, at " + at);
      }
    }
  }

  @Override
  public synchronized void close() {
    pieces.forEach(p -> source.unregister(p.memory()));
    pieces.clear();
    arena.close();
  }
}
