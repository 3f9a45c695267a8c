package io.kvasir.cuda;

/**
 * A kernel gathers blocks into a buffer of the device, {@code [block][plane][piece]}, and one copy
 * brings a run of them to payloads that lie evenly spaced; loads the other way. Blocks travel in
 * the order of their payloads' addresses, so that runs are long whatever order the frames came in.
 */
final class StagedMover implements Mover {
  private static final int THREADS = 128;
  private static final long BYTES_OF_ONE = 64 << 10; // of a row, for one group of threads
  private static final long FARTHEST = 64 << 10; // from the end of a payload to the next of a run

  /** {@return the bytes from block to block in the buffer: the kernel's widest words fit} */
  static long stride(Shape shape) {
    return (shape.payloadBytes() + 15) & -16;
  }

  @Override
  public void gather(Chunk chunk, Slot slot) throws CudaException {
    int[] order = order(chunk);
    launch(chunk, order, slot, slot.gpu().gather());
    forEachRun(
        chunk,
        order,
        (first, count, pitch) -> {
          long bytes = chunk.shape().payloadBytes();
          long host = chunk.hosts()[order[first]];
          long buffer = slot.buffer() + first * stride(chunk.shape());
          if (pitch == bytes && pitch == stride(chunk.shape())) {
            slot.driver().copyOut(host, buffer, count * bytes, slot.stream());
          } else if (count == 1) {
            slot.driver().copyOut(host, buffer, bytes, slot.stream());
          } else {
            long stride = stride(chunk.shape());
            slot.driver().copyRowsOut(host, pitch, buffer, stride, bytes, count, slot.stream());
          }
        });
  }

  @Override
  public void scatter(Chunk chunk, Slot slot) throws CudaException {
    int[] order = order(chunk);
    forEachRun(
        chunk,
        order,
        (first, count, pitch) -> {
          long bytes = chunk.shape().payloadBytes();
          long host = chunk.hosts()[order[first]];
          long buffer = slot.buffer() + first * stride(chunk.shape());
          if (pitch == bytes && pitch == stride(chunk.shape())) {
            slot.driver().copyIn(buffer, host, count * bytes, slot.stream());
          } else if (count == 1) {
            slot.driver().copyIn(buffer, host, bytes, slot.stream());
          } else {
            long stride = stride(chunk.shape());
            slot.driver().copyRowsIn(buffer, stride, host, pitch, bytes, count, slot.stream());
          }
        });
    launch(chunk, order, slot, slot.gpu().scatter());
  }

  private static void launch(Chunk chunk, int[] order, Slot slot, long function)
      throws CudaException {
    Shape shape = chunk.shape();
    slot.sendTable(shape, chunk.rows(), order);
    int shares = Math.clamp(shape.rowBytes() / BYTES_OF_ONE, 1, 64);
    slot.launch(
        function, shape.planes(), order.length, shares, THREADS, shape.planes(), stride(shape));
  }

  /** {@return the blocks by the addresses of their payloads} */
  private static int[] order(Chunk chunk) {
    int[] order = new int[chunk.count()];
    for (int i = 0; i < order.length; i++) { // nearly sorted, one way or the other
      int at = i;
      while (at > 0 && chunk.hosts()[order[at - 1]] > chunk.hosts()[i]) {
        order[at] = order[--at];
      }
      order[at] = i;
    }
    return order;
  }

  private interface Run {
    void copy(int first, int count, long pitch) throws CudaException;
  }

  /** Cuts the payloads into runs, evenly spaced within one piece of pinned memory each. */
  private static void forEachRun(Chunk chunk, int[] order, Run run) throws CudaException {
    long farthest = chunk.shape().payloadBytes() + FARTHEST;
    int first = 0;
    while (first < order.length) {
      int end = first + 1;
      long pitch = chunk.shape().payloadBytes();
      while (end < order.length && chunk.pins()[order[end]] == chunk.pins()[order[first]]) {
        long step = chunk.hosts()[order[end]] - chunk.hosts()[order[end - 1]];
        if (end == first + 1) {
          pitch = step;
        }
        if (step != pitch || step > farthest) {
          break;
        }
        end++;
      }
      run.copy(first, end - first, pitch);
      first = end;
    }
  }
}
