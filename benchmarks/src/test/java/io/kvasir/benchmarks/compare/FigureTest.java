package io.kvasir.benchmarks.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kvasir.conformance.speed.Interleaved;
import io.kvasir.conformance.speed.Round;
import java.util.List;
import org.junit.jupiter.api.Test;

class FigureTest {
  private static final long GIGABYTE = 1_000_000_000;

  private static Round round(double seconds, double cpu) {
    return new Round(GIGABYTE, seconds, cpu);
  }

  @Test
  void aRoundCountsAgainstTheGeometricMeanOfTheRawRoundsAroundIt() {
    Interleaved rounds = new Interleaved();
    rounds.raw(round(1, 0)); // 1 GB/s
    rounds.round(round(1, 0.5));
    rounds.raw(round(0.25, 0)); // 4 GB/s: the disk drifts
    Figure figure = Figure.of(Measure.PUT_ACKNOWLEDGED, rounds);
    assertEquals(1 / 2.0, figure.ratio().value(), 1e-12);
    assertEquals(1, figure.gigabytesPerSecond().value(), 1e-12);
    assertEquals(0.5, figure.cpuSecondsPerGigabyte().value(), 1e-12);
    assertEquals(2.5, Figure.ofRaw(Measure.RAW_WRITE, rounds).gigabytesPerSecond().value(), 1e-12);
  }

  @Test
  void theRatioIsTheMedianOfRatiosAndNotTheRatioOfMedians() {
    Interleaved rounds = new Interleaved();
    for (double raw : new double[] {1, 1, 2, 2, 4, 4}) {
      rounds.raw(round(raw, 0));
      if (rounds.count() < 5) {
        rounds.round(round(2 * raw, 0));
      }
    }
    // raw around the rounds, in GB/s: 1, √½, ½, √⅛, ¼; the rounds: ½, ½, ¼, ¼, ⅛
    double low = 0.5;
    double high = 1 / Math.sqrt(2);
    assertEquals(low, Figure.of(Measure.PUT_ACKNOWLEDGED, rounds).ratio().value(), 1e-12);
    assertEquals(high, Figure.of(Measure.PUT_ACKNOWLEDGED, rounds).ratio().high(), 1e-12);
  }

  @Test
  void otherRoundsInTheSamePlacesCountAgainstTheSameRawRounds() {
    Interleaved rounds = new Interleaved();
    rounds.raw(round(1, 0));
    rounds.round(round(1, 0));
    rounds.raw(round(1, 0));
    Round durable = round(1, 0.1).then(round(3, 0.2));
    Figure figure = Figure.of(Measure.PUT_DURABLE, rounds, List.of(durable));
    assertEquals(0.25, figure.ratio().value(), 1e-12);
    assertEquals(0.3, figure.cpuSecondsPerGigabyte().value(), 1e-12);
  }
}
