package io.kvasir.cli.verify;

import io.kvasir.conformance.wrap.RecordingStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What was seen of a store over the whole run. Thread-safe. */
final class Witness {
  private static final int KEPT = 20_000;
  private static final int SILENT = 3;
  private static final long LONG = Duration.ofSeconds(4).toNanos();

  private final Map<String, Long> counts = new TreeMap<>();
  private final Map<String, Long> repeated = new TreeMap<>();
  private final Map<String, List<Long>> nanos = new TreeMap<>();
  private String trouble = "";
  private long troubles;
  private int unanswered;

  /** A call failed and is done again. */
  synchronized void repeated(String what, String how) {
    repeated.merge(what + " " + how, 1L, Long::sum);
    troubles++;
  }

  /** {@return how many calls failed until now} */
  synchronized long troubles() {
    return troubles;
  }

  /** A call ended {@code TIMEOUT}; a store that lets time after time pass does not answer. */
  synchronized void timedOut(long nanos) {
    unanswered += nanos > LONG ? 1 : 0;
  }

  /** The store is asked no more. */
  synchronized void stop() {
    unanswered = SILENT;
  }

  /** {@return whether it is no use to ask any more} */
  synchronized boolean silent() {
    return unanswered >= SILENT;
  }

  /** A store said how it is after a call failed. */
  synchronized void health(String said) {
    trouble = said;
  }

  /** A store was closed. */
  synchronized void add(RecordingStore recording) {
    recording.counts().forEach((what, n) -> counts.merge(what, n, Long::sum));
    for (RecordingStore.Call call : recording.calls()) {
      List<Long> of = nanos.computeIfAbsent(call.what(), _ -> new ArrayList<>());
      if (of.size() < KEPT) {
        of.add(call.took().toNanos());
      }
    }
  }

  /** {@return what was seen, a sentence each} */
  synchronized List<String> sentences() {
    List<String> out = new ArrayList<>();
    if (!counts.isEmpty()) {
      out.add("calls and blocks by what came of them: " + listed(counts));
    }
    List<String> times = new ArrayList<>();
    nanos.forEach(
        (what, all) -> {
          List<Long> sorted = all.stream().sorted().toList();
          times.add(
              "%s %s (slowest %s)"
                  .formatted(what, shown(sorted.get(sorted.size() / 2)), shown(sorted.getLast())));
        });
    if (!times.isEmpty()) {
      out.add("a call took, at the median: " + String.join(", ", times));
    }
    long full = counts.getOrDefault("save CAPACITY", 0L);
    if (full > 0) {
      out.add("the store had no room for %d blocks, and said so".formatted(full));
    }
    if (!repeated.isEmpty()) {
      out.add("calls that failed and were repeated: " + listed(repeated));
    }
    if (!trouble.isEmpty()) {
      out.add("health after a failed call: " + trouble);
    }
    return out;
  }

  private static String listed(Map<String, Long> counts) {
    return String.join(
        ", ", counts.entrySet().stream().map(e -> e.getKey() + " " + e.getValue()).toList());
  }

  private static String shown(long nanos) {
    Duration took = Duration.ofNanos(nanos);
    return took.toMillis() >= 10 ? took.toMillis() + " ms" : nanos / 1000 + " µs";
  }
}
