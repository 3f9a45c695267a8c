package io.kvasir.api.store;

import java.util.List;
import java.util.Map;

/**
 * What a backend adds to reach blocks in a device's memory: its frames, prepared for the device,
 * and the paths between the two. A backend gets one from the plugin of the device when it opens,
 * hands {@link #frames} and {@link #paths} on as its own, and closes it when it is closed.
 */
public interface DeviceMemory extends AutoCloseable {
  /** {@return what the backend asked for, each piece also prepared for the device} */
  FrameSource frames();

  /** {@return the paths, for {@link Store#transferPaths}} */
  List<TransferPath> paths();

  /**
   * {@return what was counted, for {@link Store#metrics}: names that begin with the device's kind}
   */
  Map<String, Long> metrics();

  /** Ends the paths; frames that are registered stay so until they are unregistered. Repeatable. */
  @Override
  void close();

  /** {@return the same without any device} */
  static DeviceMemory none(FrameSource frames) {
    return new DeviceMemory() {
      @Override
      public FrameSource frames() {
        return frames;
      }

      @Override
      public List<TransferPath> paths() {
        return List.of();
      }

      @Override
      public Map<String, Long> metrics() {
        return Map.of();
      }

      @Override
      public void close() {}
    };
  }
}
