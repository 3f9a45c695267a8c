package io.kvasir.core.engine;

import io.kvasir.api.BlockMemory;
import io.kvasir.api.Deadline;
import io.kvasir.api.Fence;
import io.kvasir.api.store.Landing;
import io.kvasir.api.store.StoreException;
import io.kvasir.api.store.TransferPath;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * A path that says of its landings that they are done when they are not; and somebody who then
 * writes into the frames.
 */
record EagerPath(TransferPath path) implements TransferPath {
  @Override
  public boolean accepts(BlockMemory memory) {
    return path.accepts(memory);
  }

  @Override
  public void gather(
      BlockMemory from, int first, List<MemorySegment> payloads, Fence ready, Deadline deadline)
      throws StoreException {
    path.gather(from, first, payloads, ready, deadline);
  }

  @Override
  public void scatter(List<MemorySegment> payloads, BlockMemory to, int first, Deadline deadline)
      throws StoreException {
    path.scatter(payloads, to, first, deadline);
  }

  @Override
  public Landing land(List<MemorySegment> payloads, BlockMemory to, int first, Deadline deadline)
      throws StoreException {
    Landing landing = path.land(payloads, to, first, deadline);
    return new Landing() {
      @Override
      public List<Fence.Event> events(int plane) {
        return landing.events(plane);
      }

      @Override
      public void whenDone(Runnable action) {
        payloads.forEach(payload -> payload.fill((byte) 0x66));
        action.run();
      }
    };
  }
}
