package io.kvasir.api.store;

import java.util.List;
import java.util.Map;

/**
 * What a backend adds to reach blocks in a device's memory: its frames, prepared for the device,
 * and the paths between the two. A backend gets one from the plugin of the device when it opens,
 * hands {@link #frames} and {@link #paths} on as its own, and closes it when it is closed.
 */
public interface DeviceMemory extends AutoCloseable {
  /** How blocks are moved: for the most part a choice that is best left to the device's plugin. */
  enum Way {
    /** As fits the blocks and the driver. */
    AUTO,
    /** By a kernel into a buffer of the device, and from there at once. */
    STAGED,
    /** All pieces with one call of the driver. */
    BATCH,
    /** Piece by piece. */
    LOOP,
    /** Not at all. */
    OFF
  }

  /** Gives a backend's frames what a device needs; calls the plugin of the device. */
  @FunctionalInterface
  interface Plugin {
    /** {@return the backend's frames and the paths} */
    DeviceMemory over(FrameSource frames);
  }

  /**
   * {@return what a device's plugin gives, or {@link #none} where it is not installed}
   *
   * @param frames what the backend asks of its frames
   * @param plugin a call of the plugin, which the backend depends on optionally: {@code frames ->
   *     Cuda.over(frames, way, log)}
   */
  static DeviceMemory ifInstalled(FrameSource frames, Plugin plugin) {
    try {
      return plugin.over(frames);
    } catch (NoClassDefFoundError e) {
      return none(frames);
    }
  }

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
