package io.kvasir.cuda;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * All pieces with one {@code cuMemcpyBatchAsync}. A save reads in the order of its stream; what a
 * load reads is stable, so that its copies may begin at once.
 */
final class BatchMover implements Mover {
  @Override
  public void gather(Chunk chunk, Slot slot) throws CudaException {
    move(chunk, slot, true);
  }

  @Override
  public void scatter(Chunk chunk, Slot slot) throws CudaException {
    move(chunk, slot, false);
  }

  private static void move(Chunk chunk, Slot slot, boolean gather) throws CudaException {
    int count = chunk.count() * chunk.shape().pieces();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment devices = arena.allocate(ValueLayout.JAVA_LONG, count);
      MemorySegment hosts = arena.allocate(ValueLayout.JAVA_LONG, count);
      MemorySegment sizes = arena.allocate(ValueLayout.JAVA_LONG, count);
      int[] next = new int[1];
      for (int i = 0; i < chunk.count(); i++) {
        long host = chunk.hosts()[i];
        chunk
            .shape()
            .forEachPiece(
                chunk.rows()[i],
                (device, at, bytes) -> {
                  devices.setAtIndex(ValueLayout.JAVA_LONG, next[0], device);
                  hosts.setAtIndex(ValueLayout.JAVA_LONG, next[0], host + at);
                  sizes.setAtIndex(ValueLayout.JAVA_LONG, next[0]++, bytes);
                });
      }
      slot.driver()
          .copyBatch(
              gather ? hosts : devices,
              gather ? devices : hosts,
              sizes,
              count,
              !gather,
              slot.stream());
    }
  }
}
