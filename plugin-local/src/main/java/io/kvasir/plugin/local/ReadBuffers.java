package io.kvasir.plugin.local;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * What an opening reads into, as many buffers as are used at a time: of a huge page, or of a slot
 * where that is larger.
 */
final class ReadBuffers implements AutoCloseable {
  private static final long HUGE_PAGE = 2 << 20;

  private final IoMemory memory;
  private final long bytes;
  private final Arena arena = Arena.ofShared();
  private final Queue<MemorySegment> small = new ConcurrentLinkedQueue<>();
  private final Queue<MemorySegment> large = new ConcurrentLinkedQueue<>();

  /**
   * @param bytes that the largest read takes
   */
  ReadBuffers(IoMemory memory, long bytes) {
    this.memory = memory;
    this.bytes = bytes;
  }

  /** A buffer for a read of so many bytes, aligned to pages. */
  Buffer take(long length) {
    boolean fits = length <= HUGE_PAGE;
    Queue<MemorySegment> free = fits ? small : large;
    MemorySegment whole = free.poll();
    if (whole == null) {
      whole = memory.allocate(arena, fits ? HUGE_PAGE : bytes, Layout.PAGE);
    }
    return new Buffer(free, whole, whole.asSlice(0, length));
  }

  /** Of one user until it is closed. */
  record Buffer(Queue<MemorySegment> free, MemorySegment whole, MemorySegment bytes)
      implements AutoCloseable {
    @Override
    public void close() {
      free.add(whole);
    }
  }

  /** Nothing may be reading any more. */
  @Override
  public void close() {
    arena.close();
  }
}
