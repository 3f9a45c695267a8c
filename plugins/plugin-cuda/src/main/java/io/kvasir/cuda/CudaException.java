package io.kvasir.cuda;

import java.io.Serial;
import java.util.Map;
import java.util.Set;

/** A call of the driver that failed. */
final class CudaException extends Exception {
  @Serial private static final long serialVersionUID = 1;

  static final int INVALID_VALUE = 1;
  static final int OUT_OF_MEMORY = 2;
  static final int NOT_READY = 600;

  private static final Map<Integer, String> NAMES =
      Map.ofEntries(
          Map.entry(INVALID_VALUE, "invalid value"),
          Map.entry(OUT_OF_MEMORY, "out of memory"),
          Map.entry(3, "not initialised"),
          Map.entry(46, "device unavailable"),
          Map.entry(100, "no device"),
          Map.entry(101, "invalid device"),
          Map.entry(200, "invalid image"),
          Map.entry(201, "invalid context"),
          Map.entry(209, "no kernel image for this device"),
          Map.entry(218, "invalid PTX"),
          Map.entry(222, "unsupported PTX version"),
          Map.entry(400, "invalid handle"),
          Map.entry(500, "not found"),
          Map.entry(NOT_READY, "not ready"),
          Map.entry(700, "illegal address"),
          Map.entry(712, "host memory is registered already"),
          Map.entry(713, "host memory is not registered"),
          Map.entry(719, "launch failed"),
          Map.entry(801, "not supported"));

  /** After these the context answers every call with the same error: only a new process helps. */
  private static final Set<Integer> STICKY =
      Set.of(4, 46, 214, 220, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719, 721);

  private final int code;

  CudaException(String call, int code) {
    super("%s: CUDA error %d, %s".formatted(call, code, NAMES.getOrDefault(code, "see cuda.h")));
    this.code = code;
  }

  int code() {
    return code;
  }

  /** {@return whether the device is lost to this process} */
  boolean sticky() {
    return STICKY.contains(code);
  }
}
