package io.kvasir.cuda;

/** One copy for each piece: needs nothing, and is what the others are compared with. */
final class LoopMover implements Mover {
  @Override
  public void gather(Chunk chunk, Slot slot) throws CudaException {
    for (int i = 0; i < chunk.count(); i++) {
      long host = chunk.hosts()[i];
      chunk
          .shape()
          .forEachPiece(
              chunk.rows()[i],
              0,
              chunk.shape().planes(),
              (device, at, bytes) ->
                  slot.driver().copyOut(host + at, device, bytes, slot.stream()));
    }
  }

  @Override
  public void scatter(Chunk chunk, Slot slot, int first, int end) throws CudaException {
    for (int i = 0; i < chunk.count(); i++) {
      long host = chunk.hosts()[i];
      chunk
          .shape()
          .forEachPiece(
              chunk.rows()[i],
              first,
              end,
              (device, at, bytes) -> slot.driver().copyIn(device, host + at, bytes, slot.stream()));
    }
  }
}
