package io.kvasir.core.connector;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.LoadResult;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.function.IntPredicate;

/** Consecutive blocks of one part within a transfer, and how each ended; null while it runs. */
final class Span {
  final Part part;
  final int first;
  final BlockStatus[] statuses;

  Span(Part part, int first, int end) {
    this.part = part;
    this.first = first;
    this.statuses = new BlockStatus[end - first];
  }

  int end() {
    return first + statuses.length;
  }

  void set(int block, BlockStatus status) {
    if (statuses[block - first] == null) {
      statuses[block - first] = status;
    }
  }

  /** Ends every block that has not ended. */
  void setRest(BlockStatus status) {
    for (int i = 0; i < statuses.length; i++) {
      if (statuses[i] == null) {
        statuses[i] = status;
      }
    }
  }

  /** Adds the chain indices of the blocks that ended {@code OK}. */
  void addGood(BitSet to) {
    for (int i = 0; i < statuses.length; i++) {
      if (statuses[i] == BlockStatus.OK) {
        to.set(first + i);
      }
    }
  }

  LoadResult.Part result() {
    return new LoadResult.Part(
        part.group(), part.shard(), first, List.copyOf(Arrays.asList(statuses)));
  }

  /** {@return the maximal runs of blocks in a range for which the predicate holds} */
  static List<Span> runs(Part part, int from, int to, IntPredicate wanted) {
    List<Span> out = new ArrayList<>();
    int start = from;
    for (int i = from; i <= to; i++) {
      if (i == to || !wanted.test(i)) {
        if (i > start) {
          out.add(new Span(part, start, i));
        }
        start = i + 1;
      }
    }
    return out;
  }
}
