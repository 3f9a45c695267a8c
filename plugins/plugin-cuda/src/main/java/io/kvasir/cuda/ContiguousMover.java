package io.kvasir.cuda;

/** One copy for each block. */
final class ContiguousMover implements Mover {
  @Override
  public void gather(Chunk chunk, Slot slot) throws CudaException {
    for (int i = 0; i < chunk.count(); i++) {
      long bytes = chunk.shape().payloadBytes();
      slot.driver().copyOut(chunk.hosts()[i], address(chunk, i), bytes, slot.stream());
    }
  }

  @Override
  public void scatter(Chunk chunk, Slot slot, int first, int end) throws CudaException {
    long at = chunk.shape().place(first);
    long bytes = chunk.shape().place(end) - at;
    for (int i = 0; i < chunk.count(); i++) {
      slot.driver().copyIn(address(chunk, i) + at, chunk.hosts()[i] + at, bytes, slot.stream());
    }
  }

  private static long address(Chunk chunk, int block) {
    long[] words = chunk.shape().words();
    return words[0] + chunk.rows()[block] * words[1];
  }
}
