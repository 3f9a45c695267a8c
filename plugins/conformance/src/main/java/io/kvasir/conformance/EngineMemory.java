package io.kvasir.conformance;

import io.kvasir.api.Fence;
import io.kvasir.api.Region;

/** Memory of an engine, for the tests of a transfer path: what the path cannot do is done here. */
public interface EngineMemory {
  /** {@return new memory of this engine} */
  Region allocate(int bytes);

  /** Writes, perhaps later: before {@link #written} is done. */
  void write(Region region, int offset, byte[] bytes);

  /** {@return the fence of all writes before} */
  Fence written();

  /** {@return a fence that is not done before {@link #release}, if this memory has such a thing} */
  default java.util.Optional<Fence> held() {
    return java.util.Optional.empty();
  }

  /** Lets the held fence be done. */
  default void release() {}

  /** Lets all later writes and reads wait for an event of the path. */
  default void await(Fence.Event event) {
    throw new AssertionError("this memory knows no events, and was given " + event);
  }

  /** {@return bytes as they are after all writes and all calls of the path before} */
  byte[] read(Region region, int offset, int bytes);
}
