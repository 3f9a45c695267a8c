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
    move(chunk, slot, true, 0, chunk.shape().planes());
  }

  @Override
  public void scatter(Chunk chunk, Slot slot, int first, int end) throws CudaException {
    move(chunk, slot, false, first, end);
  }

  private static void move(Chunk chunk, Slot slot, boolean gather, int first, int end)
      throws CudaException {
    int most = chunk.count() * chunk.shape().pieces();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment devices = arena.allocate(ValueLayout.JAVA_LONG, most);
      MemorySegment hosts = arena.allocate(ValueLayout.JAVA_LONG, most);
      MemorySegment sizes = arena.allocate(ValueLayout.JAVA_LONG, most);
      int[] next = new int[1]; // fewer than that, where not all planes are moved
      for (int i = 0; i < chunk.count(); i++) {
        long host = chunk.hosts()[i];
        chunk
            .shape()
            .forEachPiece(
                chunk.rows()[i],
                first,
                end,
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
              next[0],
              !gather,
              slot.stream());
    }
  }
}
