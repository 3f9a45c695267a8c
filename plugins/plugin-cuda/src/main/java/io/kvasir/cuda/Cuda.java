package io.kvasir.cuda;

import io.kvasir.api.store.DeviceMemory;
import io.kvasir.api.store.FrameSource;
import io.kvasir.api.store.StoreException;
import io.kvasir.api.store.TransferPath;
import java.lang.System.Logger;
import java.lang.foreign.SymbolLookup;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The entry of a backend: its frames pinned, and a path for block memory in {@code
 * Region.device("cuda:N", …)}. Backends depend on this module optionally.
 */
public final class Cuda {
  private static final String OFF = "off";

  private Cuda() {}

  /**
   * Adds CUDA to a backend. Without a driver on the machine nothing is added; with one, nothing of
   * it is called before an engine gives memory of a device.
   *
   * @param frames what the backend asks of its frames: their pieces are pinned, too
   * @param mover how blocks are moved: {@code auto}, {@code staged}, {@code batch}, {@code loop},
   *     or {@code off} for not at all
   * @param log the backend's log
   * @throws StoreException {@code CONFIGURATION} if the mover is none of these
   */
  public static DeviceMemory over(FrameSource frames, String mover, Logger log)
      throws StoreException {
    if (mover.equals(OFF)) {
      return DeviceMemory.none(frames);
    }
    MoverTable table;
    try {
      table = MoverTable.valueOf(mover.toUpperCase(Locale.ROOT));
    } catch (IllegalArgumentException e) {
      throw new StoreException(
          StoreException.Kind.CONFIGURATION,
          "cuda: \"%s\" is no mover; write auto, staged, batch, loop or off".formatted(mover),
          e);
    }
    Optional<SymbolLookup> driver = Presence.driver(log);
    return driver.isEmpty()
        ? DeviceMemory.none(frames)
        : new Added(Devices.acquire(driver.get(), log), frames, table, log);
  }

  /** What a backend gets, on one user's share of the devices. */
  static final class Added implements DeviceMemory {
    private final Devices devices;
    private final PinnedFrames frames;
    private final DevicePath path;
    private final AtomicBoolean closed = new AtomicBoolean();

    Added(Devices devices, FrameSource frames, MoverTable table, Logger log) {
      this.devices = devices;
      this.frames = new PinnedFrames(frames, devices, log);
      this.path = new DevicePath(devices, table);
    }

    @Override
    public FrameSource frames() {
      return frames;
    }

    @Override
    public List<TransferPath> paths() {
      return List.of(path);
    }

    @Override
    public Map<String, Long> metrics() {
      Map<String, Long> values = new TreeMap<>();
      values.put("cuda.gathered.bytes", path.gatheredBytes());
      values.put("cuda.scattered.bytes", path.scatteredBytes());
      values.put("cuda.pinned.bytes", devices.pieces().pinnedBytes());
      values.put("cuda.ready", devices.ready() ? 1L : 0L);
      return values;
    }

    @Override
    public void close() {
      if (!closed.getAndSet(true)) {
        path.close();
        devices.release();
      }
    }
  }
}
