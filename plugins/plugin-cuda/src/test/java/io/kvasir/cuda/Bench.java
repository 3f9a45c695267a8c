package io.kvasir.cuda;

import io.kvasir.api.Deadline;
import io.kvasir.api.store.FrameSource;
import io.kvasir.api.store.TransferPath;
import java.time.Duration;
import java.util.Map;

/** The path over a driver of a test's choice, as a backend has it. */
final class Bench implements AutoCloseable {
  static final System.Logger LOG = System.getLogger("io.kvasir.cuda");

  private final Devices devices;
  private final Cuda.Added added;

  Bench(MoverTable table) {
    this(table, Presence.bind(Presence.driver(Bench.LOG).orElseThrow()));
  }

  Bench(MoverTable table, Driver driver) {
    devices = new Devices(driver, LOG);
    devices.use();
    added = new Cuda.Added(devices, FrameSource.HOST, table, LOG);
  }

  TransferPath path() {
    return added.paths().getFirst();
  }

  FrameSource frames() {
    return added.frames();
  }

  Devices devices() {
    return devices;
  }

  Map<String, Long> metrics() {
    return added.metrics();
  }

  static Deadline soon() {
    return Deadline.after(Duration.ofSeconds(20));
  }

  @Override
  public void close() {
    added.close();
  }
}
