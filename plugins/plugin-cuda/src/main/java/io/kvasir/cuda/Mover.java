package io.kvasir.cuda;

/**
 * A way to move blocks between a device's memory and pinned payloads. It hands its copies to a
 * stream and returns; where it throws, some may have been handed over.
 */
interface Mover {
  /** Moves blocks of the device to their payloads. */
  void gather(Chunk chunk, Slot slot) throws CudaException;

  /** Hands over what all steps of a scatter need. */
  default void prepareScatter(Chunk chunk, Slot slot) throws CudaException {}

  /** Moves the planes from one to before another from payloads to the blocks of the device. */
  void scatter(Chunk chunk, Slot slot, int first, int end) throws CudaException;

  /** The ways there are. */
  @SuppressWarnings("ImmutableEnumChecker") // movers have no state
  enum Kind {
    /** One copy for a block that is one range. */
    CONTIGUOUS(new ContiguousMover(), 4096),
    /**
     * A kernel between the blocks and a buffer of the device, and one copy for a run of payloads.
     */
    STAGED(new StagedMover(), 256),
    /** All pieces of all blocks with one call. */
    BATCH(new BatchMover(), 4096),
    /** One copy for a piece. */
    LOOP(new LoopMover(), 4096);

    private final Mover mover;
    private final int mostCopies;

    Kind(Mover mover, int mostCopies) {
      this.mover = mover;
      this.mostCopies = mostCopies;
    }

    Mover mover() {
      return mover;
    }

    /**
     * {@return how many blocks are moved together: so few that an end is never far}
     *
     * @param bytes that may be moved in a step
     */
    int blocks(Steps steps, long bytes) {
      Shape shape = steps.shape();
      long each = this == STAGED ? StagedMover.stride(steps.bytes()) : steps.bytes();
      long pieces =
          switch (this) {
            case LOOP, BATCH -> shape.pieces();
            case CONTIGUOUS -> steps.count();
            case STAGED -> 1;
          };
      return (int) Math.max(1, Math.min(bytes / each, mostCopies / pieces));
    }
  }
}
