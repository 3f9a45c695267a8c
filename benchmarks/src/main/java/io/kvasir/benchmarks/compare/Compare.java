package io.kvasir.benchmarks.compare;

import io.kvasir.benchmarks.common.PageCache;
import io.kvasir.benchmarks.common.PageFiller;
import io.kvasir.benchmarks.common.Scratch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Compares the stores with raw I/O and with each other, each in a JVM of its own; {@code
 * benchmarks/compare} starts it.
 *
 * <p>Ends with 0 once all is measured, whichever goals hold; with 2 if it could not run.
 */
public final class Compare {
  private static final long BEGAN = System.nanoTime();
  private static final int CALLERS = 3;

  private final CompareOptions options;
  private final Sizes sizes;
  private final Path work;
  private final List<String> missing = new ArrayList<>();

  /**
   * A comparison.
   *
   * @param work an empty folder on the disk to measure
   */
  Compare(CompareOptions options, Sizes sizes, Path work) {
    this.options = options;
    this.sizes = sizes;
    this.work = work;
  }

  /** Takes the arguments of {@link CompareOptions#USAGE}. */
  public static void main(String[] arguments) throws Exception {
    Locale.setDefault(Locale.ROOT);
    if (List.of(arguments).contains("--help")) {
      System.out.print(CompareOptions.USAGE);
      return;
    }
    try {
      CompareOptions options = CompareOptions.parse(List.of(arguments));
      Sizes sizes = options.quick() ? Sizes.quick() : Sizes.whole();
      Path work = Scratch.in(options.directory(), "compare-");
      Report report = new Compare(options, sizes, work).report();
      System.out.print(report.text());
      if (options.json()) {
        System.out.println(report.json());
      }
    } catch (IllegalArgumentException | IOException e) {
      System.err.println("compare: " + e.getMessage());
      System.exit(2);
    }
  }

  Report report() throws Exception {

    Machine machine = Machine.here(work);
    say("the yardstick");
    Yardstick yardstick =
        Yardstick.check(
            work.resolve("yardstick"),
            sizes.yardstickBytes(),
            sizes.blockBytes(),
            sizes.yardstickRounds());
    List<PeerResult> stores = new ArrayList<>();
    List<Long> free = new ArrayList<>();
    try (PageFiller filler = new PageFiller(work.resolve("hole"))) {
      say("filling the page cache");
      filler.fill(sizes.fill());
      for (PeerKind peer : options.peers()) {
        if (peer == PeerKind.REDIS && Tool.REDIS.program().isEmpty()) {
          missing.add("redis: " + Tool.REDIS.missing());
        } else {
          say(peer.description());
          filler.fill(sizes.fill().dividedBy(10));
          free.add(PageCache.freeBytes());
          measureOrSayWhyNot(peer, yardstick.way()).ifPresent(stores::add);
        }
      }
    }
    List<Goal> goals = new ArrayList<>(StoreGoals.of(stores));
    if (options.all()) {
      goals.addAll(new OtherGoals(work, sizes).measure());
    }
    goals.sort(Comparator.comparing(Goal::id));
    double seconds = (System.nanoTime() - BEGAN) / 1e9;
    return new Report(
        machine.after(Machine.loadNow()),
        pageCache(free),
        yardstick,
        stores,
        missing,
        goals,
        seconds);
  }

  /** What stores found that rely on the page cache. */
  static String pageCache(List<Long> freeBytes) {
    double most = freeBytes.stream().mapToLong(Long::longValue).max().orElse(0);
    double last = freeBytes.isEmpty() ? 0 : freeBytes.getLast();
    return most <= PageCache.ALMOST_NOTHING
        ? "page cache: full, as on a machine that has run for long"
        : "page cache: not full, %.1f GiB of memory held nothing at the most and %.1f at the end; buffered stores look worse than on a machine that has run for long"
            .formatted(most / (1 << 30), last / (1 << 30));
  }

  /** Without the project's own store there is nothing to compare; without a peer there is. */
  private Optional<PeerResult> measureOrSayWhyNot(PeerKind peer, RawDisk.Way raw)
      throws IOException {
    try {
      return Optional.of(measure(peer, raw));
    } catch (IOException e) {
      if (peer == PeerKind.LOCAL) {
        throw e;
      }
      missing.add("%s: %s".formatted(peer.id(), e.getMessage()));
      return Optional.empty();
    } finally {
      Scratch.delete(work.resolve(peer.id()));
    }
  }

  private PeerResult measure(PeerKind peer, RawDisk.Way raw) throws IOException {
    Sizes.Rounds rounds = peer == PeerKind.LOCAL ? sizes.ours() : sizes.peers();
    Path folder = Files.createDirectory(work.resolve(peer.id()));
    Plan plan =
        new Plan(
            peer,
            folder,
            raw,
            sizes.blockBytes(),
            sizes.batchBlocks(),
            rounds.blocks(),
            rounds.count(),
            rounds.seconds(),
            CALLERS,
            true);
    PeerResult result = PeerResult.of(ChildJvm.run(PeerRun.class, plan.json()));
    if (result.crashed() >= 0) {
      result =
          result.recovered(
              PeerResult.Recovery.of(
                  ChildJvm.run(PeerRecovery.class, plan.json(), "" + result.crashed())));
    }
    return result;
  }

  static void say(String what) {
    System.err.printf("%6.1f s: %s%n", (System.nanoTime() - BEGAN) / 1e9, what);
  }
}
