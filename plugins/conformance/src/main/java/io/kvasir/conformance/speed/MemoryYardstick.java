package io.kvasir.conformance.speed;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * {@code memcpy} of as many blocks, by as many threads as a {@link CalledStore} has: no store hands
 * bytes over for less.
 */
public final class MemoryYardstick implements Yardstick {
  private final Arena arena = Arena.ofShared();
  private final List<MemorySegment> blocks = new ArrayList<>();
  private final List<MemorySegment> frames = new ArrayList<>();
  private final long blockBytes;
  private final ExecutorService threads =
      Executors.newFixedThreadPool(CalledStore.CALLERS, Thread.ofPlatform().daemon().factory());

  /**
   * Allocates the memory.
   *
   * @param count blocks of a round
   * @param frames blocks that a store has frames for
   */
  public MemoryYardstick(int count, long blockBytes, int frames) {
    this.blockBytes = blockBytes;
    for (int i = 0; i < count; i++) {
      blocks.add(arena.allocate(blockBytes, 64).fill((byte) i));
    }
    for (int i = 0; i < frames; i++) {
      this.frames.add(arena.allocate(blockBytes, 64).fill((byte) i));
    }
  }

  @Override
  public String name() {
    return "memcpy";
  }

  @Override
  public Round write() throws Exception {
    return copied(true);
  }

  @Override
  public Round read() throws Exception {
    return copied(false);
  }

  private Round copied(boolean write) throws Exception {
    return Round.time(
        blocks.size() * blockBytes,
        () -> {
          List<Future<?>> running = new ArrayList<>();
          for (int t = 0; t < CalledStore.CALLERS; t++) {
            int first = t;
            running.add(threads.submit(() -> copy(write, first)));
          }
          for (Future<?> one : running) {
            one.get();
          }
        });
  }

  private void copy(boolean write, int first) {
    for (int i = first; i < blocks.size(); i += CalledStore.CALLERS) {
      MemorySegment block = blocks.get(i);
      MemorySegment frame = frames.get(i % frames.size());
      MemorySegment.copy(write ? frame : block, 0, write ? block : frame, 0, blockBytes);
    }
  }

  @Override
  public void close() {
    threads.close();
    arena.close();
  }
}
