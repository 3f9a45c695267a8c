package io.kvasir.cuda;

import io.kvasir.api.Deadline;
import io.kvasir.api.Region;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;

/**
 * Blocks that one call of the path moves.
 *
 * @param task what is done
 * @param kind how
 * @param steps how they lie in the device's memory, and how many of their planes go at once
 * @param regions the memory that they lie in
 * @param rows their rows there
 * @param payloads where they lie on the host
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody
record Job(
    Task task,
    Mover.Kind kind,
    Steps steps,
    Set<Region.Device> regions,
    int[] rows,
    List<MemorySegment> payloads,
    Deadline deadline) {
  /** What is done with blocks. */
  enum Task {
    /** They leave the device. */
    GATHER,
    /** They go to the device. */
    SCATTER,
    /** They go to the device, and an engine's stream waits for them. */
    LAND
  }

  /** Refuses memory that is not native and payloads that are too small. */
  Job {
    for (MemorySegment payload : payloads) {
      if (!payload.isNative()) {
        throw new IllegalArgumentException("a payload on the heap; give native memory");
      }
      if (payload.byteSize() < steps.shape().payloadBytes()) {
        throw new IllegalArgumentException(
            "a payload of %d bytes for a block of %d"
                .formatted(payload.byteSize(), steps.shape().payloadBytes()));
      }
    }
  }

  Shape shape() {
    return steps.shape();
  }

  int count() {
    return rows.length;
  }
}
