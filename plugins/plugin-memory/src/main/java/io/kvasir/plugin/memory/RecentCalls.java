package io.kvasir.plugin.memory;

import io.kvasir.api.store.StoreHealth;
import io.kvasir.api.store.StoreHealth.State;
import java.time.Instant;

/** What the last calls did: the truth behind {@link MemoryStore#health()}. Thread-safe. */
final class RecentCalls {
  private static final int WINDOW = 16;

  private int failed; // a bit per call, the latest lowest
  private int seen;
  private String lastFailure = "";
  private boolean closed;

  synchronized void succeeded() {
    push(0);
  }

  synchronized void failed(String what) {
    push(1);
    lastFailure = "%s at %s".formatted(what, Instant.now());
  }

  synchronized void closed() {
    closed = true;
  }

  private void push(int bit) {
    failed = (failed << 1 | bit) & ((1 << WINDOW) - 1);
    seen = Math.min(WINDOW, seen + 1);
  }

  synchronized StoreHealth health() {
    if (closed) {
      return StoreHealth.down("closed");
    }
    int failures = Integer.bitCount(failed);
    if (failures == 0) {
      return StoreHealth.up("in memory; the last %d calls succeeded".formatted(seen));
    }
    return new StoreHealth(
        failures == seen ? State.DOWN : State.DEGRADED,
        "%d of the last %d calls failed, the last one: %s".formatted(failures, seen, lastFailure));
  }
}
