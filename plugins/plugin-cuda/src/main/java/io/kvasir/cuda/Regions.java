package io.kvasir.cuda;

import io.kvasir.api.Region;
import io.kvasir.api.store.StoreException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The engine's memory, asked for once for each region and again after a failure: an engine has one
 * for each plane, and each costs calls of the driver. Thread-safe.
 */
final class Regions {
  private static final int MOST = 4096; // an engine has hundreds

  private final Driver driver;
  private final int ordinal;
  private final Set<Region.Device> known = ConcurrentHashMap.newKeySet();

  Regions(Driver driver, int ordinal) {
    this.driver = driver;
    this.ordinal = ordinal;
  }

  /**
   * Refuses what is not memory of the device, before a stream finds out: that would lose the
   * device.
   */
  void require(Region.Device region) throws StoreException, CudaException {
    if (known.contains(region)) {
      return;
    }
    int type = driver.memoryType(region.address());
    if (type != Driver.DEVICE || driver.deviceOf(region.address()) != ordinal) {
      throw new StoreException(
          StoreException.Kind.IO,
          "0x%x is %s and not memory of cuda:%d"
              .formatted(
                  region.address(),
                  switch (type) {
                    case Driver.DEVICE -> "memory of another device";
                    case Driver.HOST -> "pinned memory of the host";
                    default -> "memory that CUDA does not know";
                  },
                  ordinal));
    }
    if (known.size() >= MOST) {
      known.clear();
    }
    known.add(region);
  }

  /** Asks again for each. */
  void forget() {
    known.clear();
  }
}
