package io.kvasir.conformance;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.api.Deadline;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.store.NamespaceStore;
import io.kvasir.api.store.StoreException;
import io.kvasir.api.store.StoreUsage;
import io.kvasir.conformance.speed.SpeedReport;
import io.kvasir.conformance.speed.StoreSpeed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** One soak: what is stored is three times what fits, and memory is looked at once it is full. */
final class SoakRun {
  private static final int WORKERS = 4;
  private static final long SLACK = 64L << 20; // the JVM's own: compiled code, the collector
  private static final Duration LATE = Duration.ofSeconds(40); // each call has ten seconds
  private static final long SAYS_SO_EVERY = Duration.ofSeconds(10).toNanos();

  private final StoreBench bench;
  private final Soak soak;
  private final SoakTally tally = new SoakTally();
  private final NamespaceManifest small;
  private final NamespaceManifest large;
  private final int texts;

  SoakRun(StoreBench bench, Soak soak) {
    this.bench = bench;
    this.soak = soak;
    this.large = bench.manifest("soak");
    this.small = Manifests.of("another", Math.max(64, bench.blockBytes() / 4 / 64 * 64));
    long text = SoakWorker.BLOCKS * (large.payloadBytes(0) + small.payloadBytes(0));
    this.texts = (int) Math.max(8, 3 * bench.capacity().bytes() / text);
  }

  void run() throws Exception {
    List<String> findings = new ArrayList<>(speed("new"));
    fill();
    Footprint full = Footprint.now();
    load();
    Footprint grown = Footprint.now().since(full);
    works();
    findings.addAll(speed("after " + shown(soak.lasts())));
    findings.addFirst(
        "soak of %s: %s; memory grew by %s".formatted(shown(soak.lasts()), tally, grown));
    findings.forEach(soak.findings());
    assertTrue(grown.bytes() < SLACK, () -> "memory grew by %s while %s".formatted(grown, tally));
  }

  private List<String> speed(String when) throws StoreException {
    if (!soak.measured()) {
      return List.of();
    }
    SpeedReport report =
        StoreSpeed.of(bench.store(), bench.directory(), bench.capacity(), Optional.empty());
    return report.sentences().stream().map(line -> when + ": " + line).toList();
  }

  private void fill() throws StoreException {
    try (NamespaceStore a = bench.store().open(small);
        NamespaceStore b = bench.store().open(large);
        SoakWorker worker = new SoakWorker(bench, List.of(small, large), texts, 0, tally)) {
      for (int text = 0; text < texts; text++) {
        worker.save(a, small, text);
        worker.save(b, large, text);
      }
    }
  }

  private void load() throws Exception {
    Deadline end = Deadline.after(soak.lasts());
    Crew crew = new Crew();
    for (int i = 0; i < WORKERS; i++) {
      SoakWorker worker = new SoakWorker(bench, List.of(small, large), texts, i + 1, tally);
      crew.start(
          "soak " + i,
          () -> {
            try (worker) {
              while (!end.expired() && crew.allWell()) {
                worker.step();
              }
            }
          });
    }
    long said = System.nanoTime();
    while (!end.expired() && crew.allWell()) {
      Thread.sleep(Math.min(500, 1 + end.remaining().toMillis()));
      fits();
      if (System.nanoTime() - said > Math.min(SAYS_SO_EVERY, soak.lasts().toNanos() / 4)) {
        said = System.nanoTime();
        soak.progress().accept("soak, %s to go: %s".formatted(shown(end.remaining()), tally));
      }
    }
    crew.join(LATE);
    bench.frames().checkGuards();
  }

  private void fits() throws StoreException {
    if (bench.claims().usage()) {
      StoreUsage usage = bench.store().usage();
      assertTrue(
          usage.occupiedBytes() <= usage.capacityBytes(),
          () -> "configured with " + bench.capacity() + ": " + usage);
    }
  }

  private void works() throws StoreException {
    try (NamespaceStore namespace = bench.store().open(large)) {
      bench.save(namespace, Chains.keys(large, -1, 4));
      bench.hit(namespace, Chains.keys(large, -1, 4));
    }
  }

  private static String shown(Duration time) {
    return time.toMinutes() > 0
        ? String.format(Locale.ROOT, "%.1f minutes", time.toMillis() / 60_000.0)
        : time.toSeconds() + " s";
  }
}
