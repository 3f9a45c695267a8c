package io.kvasir.cuda;

/** One copy for each block. */
final class ContiguousMover implements Mover {
  @Override
  public void gather(Chunk chunk, Slot slot) throws CudaException {
    for (int i = 0; i < chunk.count(); i++) {
      slot.driver().copyOut(chunk.hosts()[i], address(chunk, i), bytes(chunk), slot.stream());
    }
  }

  @Override
  public void scatter(Chunk chunk, Slot slot) throws CudaException {
    for (int i = 0; i < chunk.count(); i++) {
      slot.driver().copyIn(address(chunk, i), chunk.hosts()[i], bytes(chunk), slot.stream());
    }
  }

  private static long bytes(Chunk chunk) {
    return chunk.shape().payloadBytes();
  }

  private static long address(Chunk chunk, int block) {
    long[] words = chunk.shape().words();
    return words[0] + chunk.rows()[block] * words[1];
  }
}
