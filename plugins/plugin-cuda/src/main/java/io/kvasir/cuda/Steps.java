package io.kvasir.cuda;

/**
 * How the planes of blocks are moved one after the other.
 *
 * @param shape the shape of the blocks
 * @param planes how many planes a step moves; the last may have fewer
 */
record Steps(Shape shape, int planes) {
  /** Of a block in one step: rows that are shorter than this make slow copies. */
  private static final long BYTES = 64 << 10;

  /** An engine begins early, also where that makes short rows. */
  private static final int FEWEST = 4;

  /** {@return all planes at once} */
  static Steps all(Shape shape) {
    return new Steps(shape, shape.planes());
  }

  /** {@return steps as many as pay} */
  static Steps many(Shape shape, Mover.Kind kind) {
    long most = kind == Mover.Kind.CONTIGUOUS ? FEWEST : shape.payloadBytes() / BYTES;
    long count = Math.min(Math.max(most, FEWEST), shape.planes());
    return new Steps(shape, (int) Math.ceilDiv(shape.planes(), Math.max(1, count)));
  }

  /** {@return the number of steps} */
  int count() {
    return Math.ceilDiv(shape.planes(), planes);
  }

  /** {@return the first plane of a step; of the step behind the last, the number of planes} */
  int first(int step) {
    return Math.min(step * planes, shape.planes());
  }

  /** {@return the bytes of a block in the largest step} */
  long bytes() {
    long most = 0;
    for (int step = 0; step < count(); step++) {
      most = Math.max(most, shape.place(first(step + 1)) - shape.place(first(step)));
    }
    return most;
  }

  /** {@return the step that moves a plane} */
  int of(int plane) {
    return plane / planes;
  }
}
