package io.kvasir.conformance.engine;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.Gauges;
import java.util.List;
import java.util.Map;

/**
 * What a run of a {@link PagedEngine} found.
 *
 * @param workload what was done; its seed repeats it
 * @param operations calls of the connector
 * @param requests requests begun
 * @param transfers transfers submitted
 * @param completions results delivered, by poll or by await
 * @param duplicates results of transfers that had one already, or that nobody submitted
 * @param missing transfers that never had a result
 * @param wrongBytes blocks whose bytes are not those that the engine would have computed
 * @param lateWrites free or fresh rows that somebody wrote, and bytes beside rows
 * @param matchedTokens tokens that lookups found
 * @param loadedTokens tokens that loads brought, all of them compared
 * @param savedBlocks blocks whose save ended {@code OK}
 * @param aborts requests aborted
 * @param preemptions requests preempted
 * @param updates weight updates
 * @param loads statuses of loaded blocks
 * @param saves statuses of saved blocks
 * @param gauges the connector's gauges when nothing ran any more
 * @param failures the first things that were wrong, in words
 */
public record EngineReport(
    Workload workload,
    long operations,
    long requests,
    long transfers,
    long completions,
    long duplicates,
    long missing,
    long wrongBytes,
    long lateWrites,
    long matchedTokens,
    long loadedTokens,
    long savedBlocks,
    long aborts,
    long preemptions,
    long updates,
    Map<BlockStatus, Long> loads,
    Map<BlockStatus, Long> saves,
    Gauges gauges,
    List<String> failures) {

  /** Fails unless every transfer had one result, no byte was wrong and nothing is left. */
  public void assertSound() {
    boolean sound =
        failures.isEmpty()
            && duplicates == 0
            && missing == 0
            && transfers == completions
            && wrongBytes == 0
            && lateWrites == 0
            && gauges.idle();
    if (!sound) {
      throw new AssertionError(String.join("\n", failures) + "\n" + this);
    }
  }
}
