package io.kvasir.core.connector;

import java.util.List;

/**
 * What a request's last lookup found.
 *
 * @param leases by part
 */
record Match(long tokens, List<Held> leases, long since) {
  Match(long tokens, List<Held> leases) {
    this(tokens, List.copyOf(leases), System.nanoTime());
  }

  void release() {
    leases.forEach(Held::release);
  }

  boolean youngerThan(java.time.Duration age) {
    return System.nanoTime() - since < age.toNanos();
  }
}
