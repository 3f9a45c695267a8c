package io.kvasir.conformance.engine;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.Gauges;
import io.kvasir.api.LoadResult;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Counts what a run does. */
final class Tally {
  private static final int WORDS = 20;

  long operations;
  long requests;
  long transfers;
  long completions;
  long duplicates;
  long wrongBytes;
  long lateWrites;
  long matchedTokens;
  long loadedTokens;
  long savedBlocks;
  long aborts;
  long preemptions;
  long updates;
  final Map<BlockStatus, Long> loads = new EnumMap<>(BlockStatus.class);
  final Map<BlockStatus, Long> saves = new EnumMap<>(BlockStatus.class);
  private final List<String> failures = new ArrayList<>();

  void failure(String what) {
    if (failures.size() < WORDS) {
      failures.add("operation " + operations + ": " + what);
    }
  }

  static void count(Map<BlockStatus, Long> statuses, List<LoadResult.Part> parts) {
    parts.forEach(part -> part.statuses().forEach(s -> statuses.merge(s, 1L, Long::sum)));
  }

  EngineReport report(Workload workload, long missing, Gauges gauges) {
    return new EngineReport(
        workload,
        operations,
        requests,
        transfers,
        completions,
        duplicates,
        missing,
        wrongBytes,
        lateWrites,
        matchedTokens,
        loadedTokens,
        savedBlocks,
        aborts,
        preemptions,
        updates,
        Map.copyOf(loads),
        Map.copyOf(saves),
        gauges,
        List.copyOf(failures));
  }
}
