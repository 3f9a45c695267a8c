package io.kvasir.cuda;

import io.kvasir.cuda.Mover.Kind;

/**
 * Which mover moves which blocks:
 *
 * <pre>
 *   blocks                                        driver               mover
 *   one range each                                any                  CONTIGUOUS
 *   scattered, no larger than the largest buffer  takes the kernels    STAGED
 *   scattered, pieces of 32 KiB or more           12.8 or newer        BATCH
 *   any                                           any                  LOOP
 * </pre>
 *
 * <p>The first row that fits counts. A configured choice goes before the table wherever it can move
 * the blocks at all.
 */
enum MoverTable {
  /** As the table says. */
  AUTO(null),
  /** {@link Kind#STAGED}, also where a block is one range. */
  STAGED(Kind.STAGED),
  /** {@link Kind#BATCH}, also for small pieces. */
  BATCH(Kind.BATCH),
  /** {@link Kind#LOOP}. */
  LOOP(Kind.LOOP);

  /** Largest buffer of the device that is made for a block. */
  static final long LARGEST_BUFFER = 32L << 20;

  private static final long LEAST_IN_BATCH = 32L << 10;

  private final Kind wanted;

  MoverTable(Kind wanted) {
    this.wanted = wanted;
  }

  /**
   * {@return the mover}
   *
   * @param kernels whether the driver took the kernels
   * @param batches whether it has the batch copy
   */
  Kind choose(Shape shape, boolean kernels, boolean batches) {
    if (wanted != null && can(wanted, shape, kernels, batches)) {
      return wanted;
    }
    if (can(Kind.CONTIGUOUS, shape, kernels, batches)) {
      return Kind.CONTIGUOUS;
    }
    if (can(Kind.STAGED, shape, kernels, batches)) {
      return Kind.STAGED;
    }
    return shape.smallestPiece() >= LEAST_IN_BATCH && can(Kind.BATCH, shape, kernels, batches)
        ? Kind.BATCH
        : Kind.LOOP;
  }

  private static boolean can(Kind kind, Shape shape, boolean kernels, boolean batches) {
    return switch (kind) {
      case CONTIGUOUS -> shape.contiguous();
      case STAGED -> kernels && StagedMover.stride(shape.payloadBytes()) <= LARGEST_BUFFER;
      case BATCH -> batches;
      case LOOP -> true;
    };
  }
}
