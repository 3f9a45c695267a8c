package io.kvasir.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.kvasir.cli.bench.DiskBench;
import io.kvasir.conformance.speed.Interleaved;
import io.kvasir.conformance.speed.Median;
import io.kvasir.conformance.speed.Round;
import java.util.List;
import org.junit.jupiter.api.Test;

class BenchCommandTest {
  private static final long GIGABYTE = 1_000_000_000;

  @Test
  void aRoundCountsBesideTheRawOnesAroundIt() {
    Interleaved rounds = new Interleaved();
    rounds.raw(seconds(1)); // 1 GB/s, then the disk gets four times as fast
    rounds.round(seconds(0.5)); // 2 GB/s: as fast as the disk was between the two
    rounds.raw(seconds(0.25));
    rounds.round(seconds(0.5));
    rounds.raw(seconds(0.25));
    assertEquals(0.75, rounds.ratio().value(), 1e-9); // of 1 and 0.5
    assertEquals(2, rounds.speed().value(), 1e-9);
    assertEquals(4, rounds.rawSpeed().value(), 1e-9);
    assertEquals(0.1, rounds.cpu().value(), 1e-9);
    assertEquals(0.05, new Round(2 * GIGABYTE, 1, 0.1).cpuSecondsPerGigabyte(), 1e-9);
  }

  @Test
  void aRoundWithoutARawOneBeforeItIsAMistake() {
    Interleaved rounds = new Interleaved();
    assertThrows(IllegalStateException.class, () -> rounds.round(seconds(1)));
  }

  @Test
  void quartilesLieBetweenNeighbours() {
    assertEquals(new Median(1.75, 2.5, 3.25), Median.of(List.of(4.0, 1.0, 3.0, 2.0)));
    assertThrows(IllegalArgumentException.class, () -> Median.of(List.of()));
  }

  @Test
  void theVerdictIsThatOfTheWorseOne() {
    assertEquals(
        "puts at 0.97 of what this disk can do, gets at 0.91: there is no more to be had",
        BenchCommand.verdict("direct", result(0.97, 0.91)));
    assertEquals(
        "puts at 0.97 of what this disk can do, gets at 0.89: something else uses the disk or the"
            + " processors; measure again when it is quiet",
        BenchCommand.verdict("direct", result(0.97, 0.89)));
    assertEquals(
        "puts at 0.31 of what this disk can do, gets at 0.89: far below: look at the load, at free"
            + " memory and at the store's mode (FALLBACK)",
        BenchCommand.verdict("FALLBACK", result(0.31, 0.89)));
  }

  private static DiskBench.Result result(double put, double get) {
    return new DiskBench.Result(rounds(put), rounds(get));
  }

  private static Interleaved rounds(double ratio) {
    Interleaved rounds = new Interleaved();
    rounds.raw(seconds(1));
    rounds.round(seconds(1 / ratio));
    rounds.raw(seconds(1));
    return rounds;
  }

  private static Round seconds(double seconds) {
    return new Round(GIGABYTE, seconds, 0.1);
  }
}
