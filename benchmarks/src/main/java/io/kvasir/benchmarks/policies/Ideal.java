package io.kvasir.benchmarks.policies;

import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;

/**
 * What a cache that knows the future does (Belady): it keeps no block that is not used again, and
 * gives up the one whose next request is farthest, the deepest of a chain first. The bound for all
 * others.
 */
final class Ideal implements Policy {
  private static final int NEVER = Integer.MAX_VALUE;

  private record Kept(int next, int depth, int block) {}

  private final int capacity;
  private final int[][] nextUses; // by request and place in it
  private final Map<Integer, Kept> blocks = new HashMap<>();
  private final TreeSet<Kept> order =
      new TreeSet<>(
          Comparator.comparingInt(Kept::next)
              .thenComparingInt(Kept::depth)
              .thenComparingInt(Kept::block));
  private int request;

  Ideal(int capacity, Trace trace) {
    this.capacity = capacity;
    this.nextUses = new int[trace.requests().size()][];
    Map<Integer, Integer> next = new HashMap<>();
    for (int r = nextUses.length - 1; r >= 0; r--) {
      int[] chain = trace.requests().get(r);
      nextUses[r] = new int[chain.length];
      for (int i = 0; i < chain.length; i++) {
        nextUses[r][i] = next.getOrDefault(chain[i], NEVER);
      }
      for (int block : chain) {
        next.put(block, r);
      }
    }
  }

  @Override
  public boolean has(int block) {
    return blocks.containsKey(block);
  }

  /** Only whole requests, in the order of the trace, have a known future. */
  @Override
  public void use(int block) {
    throw new UnsupportedOperationException("the future of a block by itself is not known");
  }

  @Override
  public void request(int[] chain) {
    int[] next = nextUses[request++];
    for (int i = 0; i < chain.length; i++) {
      Kept before = blocks.remove(chain[i]);
      if (before != null) {
        order.remove(before);
      }
      if (next[i] != NEVER) {
        Kept kept = new Kept(next[i], i, chain[i]);
        blocks.put(chain[i], kept);
        order.add(kept);
        if (blocks.size() > capacity) {
          blocks.remove(order.pollLast().block);
        }
      }
    }
  }
}
