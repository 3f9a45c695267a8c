package io.kvasir.conformance.speed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** The arithmetic of a speed report, on rounds that took what a test says. */
class FiguresTest {
  /** 100 hashes of 32 bytes. */
  private static Round hashes(double nanosEach) {
    return new Round(3200, nanosEach * 100 / 1e9, 0);
  }

  private static Round gigabytes(double aSecond) {
    return new Round(2_000_000_000L, 2 / aSecond, 0);
  }

  private static Interleaved interleaved(Round... rounds) {
    Interleaved out = new Interleaved();
    for (int i = 0; i < rounds.length; i++) {
      if (i % 2 == 0) {
        out.raw(rounds[i]);
      } else {
        out.round(rounds[i]);
      }
    }
    return out;
  }

  @Test
  void aRatioIsTheStoresSpeedByThatOfTheYardstickBeforeAndAfter() {
    // between 8 and 2 lie 4, between 2 and 0.5 lies 1
    Interleaved three =
        interleaved(gigabytes(8), gigabytes(1), gigabytes(2), gigabytes(0.5), gigabytes(0.5));
    Median ratio = three.ratio();
    assertEquals(0.3125, ratio.low(), 1e-9); // of 0.25 and 0.5
    assertEquals(0.375, ratio.value(), 1e-9);
    assertEquals(0.4375, ratio.high(), 1e-9);
    assertEquals(0.75, three.speed().value(), 1e-9);
    assertEquals(2, three.rawSpeed().value(), 1e-9);
  }

  @Test
  void aMedianIsInterpolatedAndSoAreTheQuarters() {
    assertEquals(new Median(2, 3, 4), Median.of(List.of(5d, 1d, 4d, 2d, 3d)));
    assertEquals(new Median(1.75, 2.5, 3.25), Median.of(List.of(4d, 1d, 3d, 2d)));
  }

  @Test
  void aRoundTakesAsLongAsItsPass() throws Exception {
    double[] cpu = {5, 7};
    int[] asked = {0};
    Round round = Round.time(10, () -> Thread.sleep(30), () -> cpu[asked[0]++]);
    assertTrue(round.seconds() >= 0.03, round.toString());
    assertEquals(10, round.bytes());
    assertEquals(2, round.cpuSeconds(), 1e-9);
    assertEquals(10 / round.seconds() / 1e9, round.gigabytesPerSecond(), 1e-12);
  }

  @Test
  void aLineSaysHowFastTheStoreAndTheYardstickAre() {
    assertEquals(
        "put: 0.25 (0.25 to 0.25) of memcpy, 1.0 GB/s beside 4.0 GB/s; 3 % of it",
        SpeedReport.Line.bytes(
                "put", "memcpy", interleaved(gigabytes(4), gigabytes(1), gigabytes(4)), "3 % of it")
            .toString());
    assertEquals(
        "lookup: 0.050 (0.050 to 0.050) of reading as many hashes out of memory,"
            + " 400 ns a block beside 20 ns",
        SpeedReport.Line.lookups(interleaved(hashes(20), hashes(400), hashes(20))).toString());
  }

  @Test
  void aYardstickMovesEachBlockOnce() throws Exception {
    try (MemoryYardstick memory = new MemoryYardstick(6, 4096, 6);
        HashReads reads = new HashReads()) {
      assertEquals(6 * 4096, memory.write().bytes());
      assertEquals(6 * 4096, memory.read().bytes());
      assertEquals(32 * 100, reads.read(100).bytes());
    }
  }
}
