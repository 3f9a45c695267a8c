package io.kvasir.benchmarks.compare;

import io.kvasir.conformance.speed.Median;
import io.kvasir.conformance.speed.Round;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;

/**
 * The raw rounds themselves, checked: each way of moving blocks against {@code fio}, in turn, in
 * one file. The better way becomes the yardstick.
 *
 * @param way the better one
 * @param write its bytes a second, by those of fio; null without fio
 * @param read likewise
 * @param ways what each way came to
 * @param missing why fio did not run, or null
 */
record Yardstick(RawDisk.Way way, Double write, Double read, List<Speed> ways, String missing) {
  private static final int FRAMES = RawDisk.DEPTH;
  private static final double TOLERANCE = 1.05;

  /**
   * Medians of rounds.
   *
   * @param way null for fio
   * @param write gigabytes a second
   * @param read likewise
   */
  record Speed(RawDisk.Way way, double write, double read) {
    double both() {
      return Math.sqrt(write * read);
    }
  }

  /** {@return whether fio agrees; a faster yardstick makes goals harder, never easier} */
  String inWords() {
    double least = Math.min(write, read);
    double most = Math.max(write, read);
    return least >= 1 / TOLERANCE && most <= TOLERANCE
        ? "yes"
        : least >= 1 / TOLERANCE ? "no, it is faster" : "NO, it is slower";
  }

  private record Rounds(
      RawDisk.Way way,
      List<Double> write,
      List<Double> read,
      List<Double> toFioWrite,
      List<Double> toFioRead) {
    Rounds(RawDisk.Way way) {
      this(way, new ArrayList<>(), new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
    }

    Speed speed() {
      return new Speed(way, Median.of(write).value(), Median.of(read).value());
    }
  }

  /**
   * Measures the ways.
   *
   * @param bytes a round, a multiple of the block
   */
  static Yardstick check(Path file, long bytes, int blockBytes, int rounds) throws Exception {
    Optional<Path> fio = Tool.FIO.program();
    List<Long> positions =
        LongStream.range(0, bytes / blockBytes).map(i -> i * blockBytes).boxed().toList();
    List<Rounds> all = new ArrayList<>();
    Rounds peer = new Rounds(null);
    Files.createFile(file);
    try (FramePool pool = new FramePool(FRAMES, blockBytes, true)) {
      for (RawDisk.Way way : ways(file)) {
        all.add(new Rounds(way));
      }
      move(RawDisk.Way.CHANNEL, file, true, positions, blockBytes, pool);
      for (int r = 0; r < rounds; r++) {
        for (boolean write : new boolean[] {true, false}) {
          double theirs = 0;
          if (fio.isPresent()) {
            theirs = Fio.bytesPerSecond(fio.get(), file, write, bytes, blockBytes) / 1e9;
            (write ? peer.write : peer.read).add(theirs);
          }
          for (Rounds ours : all) {
            double speed = move(ours.way, file, write, positions, blockBytes, pool);
            (write ? ours.write : ours.read).add(speed);
            (write ? ours.toFioWrite : ours.toFioRead).add(speed / theirs);
          }
        }
      }
    } finally {
      Files.delete(file);
    }
    Rounds best =
        all.stream()
            .max((a, b) -> Double.compare(a.speed().both(), b.speed().both()))
            .orElseThrow();
    List<Speed> speeds = new ArrayList<>(all.stream().map(Rounds::speed).toList());
    if (fio.isEmpty()) {
      return new Yardstick(best.way, null, null, speeds, Tool.FIO.missing());
    }
    speeds.add(peer.speed());
    return new Yardstick(
        best.way,
        Median.of(best.toFioWrite).value(),
        Median.of(best.toFioRead).value(),
        speeds,
        null);
  }

  /** Some containers forbid io_uring. */
  private static List<RawDisk.Way> ways(Path file) throws IOException {
    try (FramePool pool = new FramePool(1, 4096, false);
        RawDisk disk = RawDisk.Way.URING.open(file)) {
      disk.write(List.of(0L), 4096, pool);
      return List.of(RawDisk.Way.URING, RawDisk.Way.CHANNEL);
    } catch (IOException e) {
      return List.of(RawDisk.Way.CHANNEL);
    }
  }

  private static double move(
      RawDisk.Way way,
      Path file,
      boolean write,
      List<Long> positions,
      int blockBytes,
      FramePool pool)
      throws Exception {
    try (RawDisk disk = way.open(file)) {
      return Round.time(
              (long) positions.size() * blockBytes,
              () -> {
                if (write) {
                  disk.write(positions, blockBytes, pool);
                } else {
                  disk.read(positions, blockBytes, pool);
                }
              })
          .gigabytesPerSecond();
    }
  }
}
