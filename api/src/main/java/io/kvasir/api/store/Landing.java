package io.kvasir.api.store;

import io.kvasir.api.Fence;
import java.util.List;

/**
 * Blocks on their way into an engine's memory: their copies are ordered on a device, and perhaps
 * not done. Thread-safe.
 */
public interface Landing {
  /** Of blocks that are there. */
  Landing DONE =
      new Landing() {
        @Override
        public List<Fence.Event> events(int plane) {
          return List.of();
        }

        @Override
        public void whenDone(Runnable action) {
          action.run();
        }
      };

  /**
   * {@return the events after which that plane of all the blocks is there, and the planes before
   * it: good until the path's store is closed, and recorded again only behind these copies, on the
   * same stream}
   *
   * @param plane index of the plane in payload order
   */
  List<Fence.Event> events(int plane);

  /**
   * Runs an action once neither payloads nor blocks are touched any more, however that came about:
   * now if it is so, else on a thread of the path. A device that fails after the copies were
   * ordered is lost to the engine, too, and its blocks with it.
   *
   * <p>Where this method throws, the core takes the blocks for lost and lends their frames to
   * nobody until the action is run after all.
   *
   * @param action returns at once and throws nothing; run once
   */
  void whenDone(Runnable action);
}
