package io.kvasir.cuda;

/**
 * A kernel gathers blocks into a buffer of the device, {@code [block][plane][piece]}, and one copy
 * brings a run of them to payloads that lie evenly spaced; loads the other way, step by step.
 */
final class StagedMover implements Mover {
  private static final int THREADS = 128;
  private static final long BYTES_OF_ONE = 64 << 10; // of a row, for one group of threads
  private static final long FARTHEST = 64 << 10; // from the end of a payload to the next of a run

  /** {@return the bytes from block to block in the buffer: the kernel's widest words fit} */
  static long stride(long bytes) {
    return (bytes + 15) & -16;
  }

  @Override
  public void gather(Chunk chunk, Slot slot) throws CudaException {
    long bytes = chunk.shape().payloadBytes();
    long stride = stride(bytes);
    slot.sendTable(chunk);
    launch(chunk, slot, slot.gpu().gather(), 0, chunk.shape().planes());
    forEachRun(
        chunk,
        (first, count, pitch) -> {
          long host = chunk.hosts()[first];
          long buffer = slot.buffer() + first * stride;
          if (pitch == bytes && pitch == stride) {
            slot.driver().copyOut(host, buffer, count * bytes, slot.stream());
          } else if (count == 1) {
            slot.driver().copyOut(host, buffer, bytes, slot.stream());
          } else {
            slot.driver().copyRowsOut(host, pitch, buffer, stride, bytes, count, slot.stream());
          }
        });
  }

  @Override
  public void prepareScatter(Chunk chunk, Slot slot) throws CudaException {
    slot.sendTable(chunk);
  }

  @Override
  public void scatter(Chunk chunk, Slot slot, int first, int end) throws CudaException {
    long place = chunk.shape().place(first);
    long bytes = chunk.shape().place(end) - place;
    long stride = stride(bytes);
    forEachRun(
        chunk,
        (block, count, pitch) -> {
          long host = chunk.hosts()[block] + place;
          long buffer = slot.buffer() + block * stride;
          if (pitch == bytes && pitch == stride) {
            slot.driver().copyIn(buffer, host, count * bytes, slot.stream());
          } else if (count == 1) {
            slot.driver().copyIn(buffer, host, bytes, slot.stream());
          } else {
            slot.driver().copyRowsIn(buffer, stride, host, pitch, bytes, count, slot.stream());
          }
        });
    launch(chunk, slot, slot.gpu().scatter(), first, end);
  }

  private static void launch(Chunk chunk, Slot slot, long function, int first, int end)
      throws CudaException {
    Shape shape = chunk.shape();
    int shares = Math.clamp(shape.rowBytes() / BYTES_OF_ONE, 1, 64);
    long stride = stride(shape.place(end) - shape.place(first));
    slot.launch(function, end - first, chunk.count(), shares, THREADS, shape, first, stride);
  }

  private interface Run {
    void copy(int first, int count, long pitch) throws CudaException;
  }

  /** Cuts the payloads into runs, evenly spaced within one piece of pinned memory each. */
  private static void forEachRun(Chunk chunk, Run run) throws CudaException {
    long[] hosts = chunk.hosts();
    long[] pins = chunk.pins();
    long farthest = chunk.shape().payloadBytes() + FARTHEST;
    int first = 0;
    while (first < hosts.length) {
      int end = first + 1;
      long pitch = chunk.shape().payloadBytes();
      while (end < hosts.length && pins[end] == pins[first]) {
        long step = hosts[end] - hosts[end - 1];
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
