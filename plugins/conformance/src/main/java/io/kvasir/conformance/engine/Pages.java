package io.kvasir.conformance.engine;

import java.util.ArrayDeque;
import java.util.Arrays;

/** The rows of a cache that nobody uses. They hold the canary, and are looked at when taken. */
final class Pages {
  private final PagedCache cache;
  private final Tally tally;
  private final ArrayDeque<Integer> free = new ArrayDeque<>();
  private final byte[] canary;

  Pages(PagedCache cache, Tally tally) {
    this.cache = cache;
    this.tally = tally;
    this.canary = new byte[cache.shape().blockBytes()];
    Arrays.fill(canary, PagedCache.CANARY);
    for (int row = 0; row < cache.shape().rows(); row++) {
      free.add(row);
    }
  }

  int free() {
    return free.size();
  }

  /** {@return a row; there must be one} */
  int take() {
    int row = free.remove();
    look(row);
    return row;
  }

  /** Takes a row back; it is used again soon, so that whoever still writes it is found. */
  void give(int row) {
    cache.write(row, canary);
    free.addFirst(row);
  }

  private void look(int row) {
    if (!Arrays.equals(cache.read(row), canary)) {
      tally.lateWrites++;
      tally.failure("row " + row + " was written while it was free");
    }
  }

  void lookAtAll() {
    free.forEach(this::look);
    long stray = cache.strayBytes();
    if (stray > 0) {
      tally.lateWrites += stray;
      tally.failure(stray + " bytes beside the rows were written");
    }
  }
}
