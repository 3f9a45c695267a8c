package io.kvasir.core.connector;

import io.kvasir.api.MetricsListener;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** The metrics listeners of a connector; one that throws is dropped. Never called under a lock. */
final class Listeners {
  private final Logger log;
  private final List<MetricsListener> all = new CopyOnWriteArrayList<>();

  Listeners(Logger log) {
    this.log = log;
  }

  void add(MetricsListener listener) {
    all.add(java.util.Objects.requireNonNull(listener));
  }

  void tell(Consumer<MetricsListener> event) {
    List<MetricsListener> thrown = new ArrayList<>();
    for (MetricsListener listener : all) {
      try {
        event.accept(listener);
      } catch (Throwable t) {
        thrown.add(listener);
        log.log(Level.WARNING, "a metrics listener threw and is dropped: " + listener, t);
      }
    }
    all.removeAll(thrown);
  }
}
