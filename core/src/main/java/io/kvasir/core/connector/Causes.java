package io.kvasir.core.connector;

import io.kvasir.api.BlockStatus;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Says in the log why blocks did not end {@code OK}: at most once a minute per status. */
final class Causes {
  private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);
  private final Logger log;
  private final Map<BlockStatus, Long> next = new EnumMap<>(BlockStatus.class);

  Causes(Logger log) {
    this.log = log;
  }

  void say(BlockStatus status, String what, Throwable cause) {
    if (due(status)) {
      log.log(
          Level.WARNING,
          what + " ended " + status + "; more of these are not logged for a minute",
          cause);
    }
  }

  private synchronized boolean due(BlockStatus status) {
    long now = System.nanoTime();
    Long due = next.get(status);
    if (due != null && now - due < 0) {
      return false;
    }
    next.put(status, now + MINUTE);
    return true;
  }
}
