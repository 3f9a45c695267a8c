package io.kvasir.plugin.local;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * Times of an operation in buckets of eight to an octave, so that a quantile is at most an eighth
 * too high. Thread-safe.
 */
final class Latency {
  private static final int STEPS = 3; // bits
  private static final int BUCKETS = 64 << STEPS;

  private final LongAdder[] buckets = new LongAdder[BUCKETS];

  Latency() {
    for (int i = 0; i < BUCKETS; i++) {
      buckets[i] = new LongAdder();
    }
  }

  void since(long startNanos) {
    add(System.nanoTime() - startNanos);
  }

  void add(long nanos) {
    buckets[bucket(Math.max(0, nanos))].increment();
  }

  private static int bucket(long nanos) {
    int octave = Math.max(0, 63 - STEPS - Long.numberOfLeadingZeros(nanos));
    return (octave << STEPS) + (int) (nanos >>> octave);
  }

  /** The largest number that falls into a bucket. */
  private static long top(int bucket) {
    int octave = Math.max(0, (bucket >> STEPS) - 1);
    return ((bucket - ((long) octave << STEPS) + 1) << octave) - 1;
  }

  /** A bound that a share of the operations kept, in nanoseconds; 0 if there was none. */
  long quantile(double share) {
    long[] counts = new long[BUCKETS];
    long all = 0;
    for (int i = 0; i < BUCKETS; i++) {
      counts[i] = buckets[i].sum();
      all += counts[i];
    }
    long rank = (long) Math.ceil(share * all);
    for (int i = 0; i < BUCKETS; i++) {
      rank -= counts[i];
      if (rank <= 0 && counts[i] > 0) {
        return top(i);
      }
    }
    return 0;
  }

  void addTo(Map<String, Long> values, String name) {
    values.put(name + ".p50.micros", TimeUnit.NANOSECONDS.toMicros(quantile(0.5)));
    values.put(name + ".p99.micros", TimeUnit.NANOSECONDS.toMicros(quantile(0.99)));
  }
}
