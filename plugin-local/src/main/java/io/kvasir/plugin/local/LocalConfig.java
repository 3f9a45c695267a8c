package io.kvasir.plugin.local;

import io.kvasir.api.ByteSize;
import io.kvasir.api.store.DeviceMemory;
import io.kvasir.api.store.Setting;
import java.nio.file.Path;

/** The configuration of a local store. */
public record LocalConfig(
    @Setting("Directory of the store; created if absent, owned by one process at a time.")
        Path directory,
    @Setting("What the store may occupy on the disk, log and manifests included.")
        ByteSize capacity,
    @Setting(
            value = "What an acknowledged save survives: ack, batch (shared flushes) or none.",
            byDefault = "batch")
        Durability durability,
    @Setting(value = "Space that the store leaves free on its file system.", byDefault = "1 GiB")
        ByteSize keepFree,
    @Setting(
            value =
                "Pages of 4 KiB of a log: one per batch between two checkpoints; 0 chooses by the"
                    + " capacity.",
            byDefault = "0")
        int logPages,
    @Setting(value = "How much a file grows at a time, at most.", byDefault = "256 MiB")
        ByteSize growth,
    @Setting(
            value =
                "Which blocks are stored: all, or second-sight (those that are saved for the"
                    + " second time, to write less).",
            byDefault = "all")
        Admission admission,
    @Setting(
            value =
                "What is read again each second to find blocks that the disk has damaged; 0 for"
                    + " none.",
            byDefault = "8 MiB")
        ByteSize scrub,
    @Setting(
            value = "How blocks of a GPU are moved: auto, staged, batch, loop, or off.",
            byDefault = "auto")
        DeviceMemory.Way cuda) {

  private static final int MOST_LOG_PAGES = 16384;
  private static final int FEWEST_LOG_PAGES = 16;

  /** The pages of the log of a new file: at most a 64th of the capacity. */
  int pages() {
    long bySize = capacity.bytes() / 64 / Layout.PAGE;
    return logPages > 0
        ? Math.max(logPages, FEWEST_LOG_PAGES)
        : Math.clamp(bySize, FEWEST_LOG_PAGES, MOST_LOG_PAGES);
  }

  /** What remembers which blocks of a size were seen; null if all are admitted. */
  Sightings sightings(int slotBytes) {
    return admission == Admission.ALL ? null : new Sightings(capacity.bytes() / slotBytes);
  }

  /** How many slots of a size a growth adds. */
  int growthSlots(int slotBytes) {
    return Math.clamp(growth.bytes() / slotBytes, 1, 1 << 20);
  }
}
