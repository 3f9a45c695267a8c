package io.kvasir.conformance;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.store.Blocks;
import java.util.Locale;
import java.util.concurrent.atomic.LongAdder;

/** What a soak has done. Thread-safe. */
final class SoakTally {
  private final LongAdder calls = new LongAdder();
  private final LongAdder failed = new LongAdder();
  private final LongAdder savedBytes = new LongAdder();
  private final LongAdder loadedBytes = new LongAdder();
  private final LongAdder asked = new LongAdder();
  private final LongAdder found = new LongAdder();

  void called() {
    calls.increment();
  }

  void failed() {
    failed.increment();
  }

  void saved(Blocks blocks) {
    savedBytes.add(ok(blocks) * blocks.keys().payloadBytes());
  }

  void loaded(Blocks blocks) {
    asked.add(blocks.count());
    found.add(ok(blocks));
    loadedBytes.add(ok(blocks) * blocks.keys().payloadBytes());
  }

  private static long ok(Blocks blocks) {
    long ok = 0;
    for (int i = 0; i < blocks.count(); i++) {
      ok += blocks.status(i) == BlockStatus.OK ? 1 : 0;
    }
    return ok;
  }

  static String mebibytes(long bytes) {
    return String.format(Locale.ROOT, "%.1f MiB", bytes / (double) (1 << 20));
  }

  @Override
  public String toString() {
    return "%d calls, %d of them failed, %s saved, %s loaded, %d of %d blocks found"
        .formatted(
            calls.sum(),
            failed.sum(),
            mebibytes(savedBytes.sum()),
            mebibytes(loadedBytes.sum()),
            found.sum(),
            asked.sum());
  }
}
