package io.kvasir.conformance.wrap;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.Deadline;
import io.kvasir.api.store.BlockLease;
import io.kvasir.api.store.Blocks;
import io.kvasir.api.store.Store;
import io.kvasir.api.store.StoreException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Remembers the last calls, and counts all of them by what came of them. Safe for several threads,
 * as far as the store is.
 */
public final class RecordingStore extends InterceptingStore {
  /**
   * A call that has ended.
   *
   * @param what {@code open}, {@code lookup}, {@code load}, {@code save}, {@code remove} or {@code
   *     remove namespace}
   * @param on the namespace, or the keys
   * @param outcome a status for each block, what a lookup found, {@code done}, or the exception
   * @param took how long it took
   */
  public record Call(String what, String on, String outcome, Duration took) {
    @Override
    public String toString() {
      return "%s %s: %s after %d µs".formatted(what, on, outcome, took.toNanos() / 1000);
    }
  }

  private final int kept;
  private final Deque<Call> calls = new ArrayDeque<>();
  private final Map<String, Long> counts = new TreeMap<>();

  /**
   * Stands before a store.
   *
   * @param kept the number of calls to remember
   */
  public RecordingStore(Store store, int kept) {
    super(store);
    this.kept = kept;
  }

  /** {@return the last calls in the order in which they ended} */
  public synchronized List<Call> calls() {
    return new ArrayList<>(calls);
  }

  /**
   * {@return how often each thing happened: blocks of loads and saves by status ({@code "load
   * MISS"}), other calls by {@code done} or the kind of their failure ({@code "lookup TIMEOUT"})}
   */
  public synchronized Map<String, Long> counts() {
    return new TreeMap<>(counts);
  }

  private synchronized void ended(String what, Object on, String outcome, long start) {
    calls.add(new Call(what, on.toString(), outcome, Duration.ofNanos(System.nanoTime() - start)));
    if (calls.size() > kept) {
      calls.removeFirst();
    }
  }

  private synchronized void count(String what, Object outcome) {
    counts.merge(what + " " + outcome, 1L, Long::sum);
  }

  @Override
  protected <T> T around(String what, Object on, Deadline deadline, Action<T> action)
      throws StoreException {
    long start = System.nanoTime();
    try {
      T result = action.run();
      count(what, "done");
      String found = result instanceof BlockLease lease ? "found " + lease.prefix() : "done";
      ended(what, on, found, start);
      return result;
    } catch (StoreException e) {
      count(what, e.kind());
      ended(what, on, e.kind() + " " + e.getMessage(), start);
      throw e;
    } catch (RuntimeException | Error e) {
      count(what, "thrown");
      ended(what, on, e.toString(), start);
      throw e;
    }
  }

  @Override
  protected void around(String what, Blocks blocks, Deadline deadline, Consumer<Blocks> action) {
    long start = System.nanoTime();
    String outcome = "thrown";
    try {
      action.accept(blocks);
      List<BlockStatus> statuses = new ArrayList<>();
      for (int i = 0; i < blocks.count(); i++) {
        statuses.add(blocks.status(i));
        count(what, blocks.status(i));
      }
      outcome = statuses.toString();
    } finally {
      ended(what, blocks.keys(), outcome, start);
    }
  }
}
