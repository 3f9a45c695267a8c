package io.kvasir.cuda;

import io.kvasir.api.store.DeviceMemory;
import io.kvasir.api.store.FrameSource;
import io.kvasir.api.store.TransferPath;
import java.lang.System.Logger;
import java.lang.foreign.SymbolLookup;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The entry of a backend: its frames pinned, and a path for block memory in {@code
 * Region.device("cuda:N", …)}. Backends depend on this module optionally.
 */
public final class Cuda {
  private Cuda() {}

  /**
   * Adds CUDA to a backend. Without a driver on the machine nothing is added; with one, nothing of
   * it is called before an engine gives memory of a device.
   *
   * @param frames what the backend asks of its frames: their pieces are pinned, too
   * @param way how blocks are moved
   * @param log the backend's log
   */
  public static DeviceMemory over(FrameSource frames, DeviceMemory.Way way, Logger log) {
    MoverTable table =
        switch (way) {
          case AUTO -> MoverTable.AUTO;
          case STAGED -> MoverTable.STAGED;
          case BATCH -> MoverTable.BATCH;
          case LOOP -> MoverTable.LOOP;
          case OFF -> null;
        };
    if (table == null) {
      return DeviceMemory.none(frames);
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
