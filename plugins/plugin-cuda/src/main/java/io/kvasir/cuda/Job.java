package io.kvasir.cuda;

import io.kvasir.api.Deadline;
import io.kvasir.api.Region;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;

/**
 * Blocks that one call of the path moves.
 *
 * @param gather whether they leave the device
 * @param kind how
 * @param shape how they lie in the device's memory
 * @param regions the memory that they lie in
 * @param rows their rows there
 * @param payloads where they lie on the host
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody
record Job(
    boolean gather,
    Mover.Kind kind,
    Shape shape,
    Set<Region.Device> regions,
    int[] rows,
    List<MemorySegment> payloads,
    Deadline deadline) {
  /** Refuses memory that is not native and payloads that are too small. */
  Job {
    for (MemorySegment payload : payloads) {
      if (!payload.isNative()) {
        throw new IllegalArgumentException("a payload on the heap; give native memory");
      }
      if (payload.byteSize() < shape.payloadBytes()) {
        throw new IllegalArgumentException(
            "a payload of %d bytes for a block of %d"
                .formatted(payload.byteSize(), shape.payloadBytes()));
      }
    }
  }

  int count() {
    return rows.length;
  }
}
