package io.kvasir.benchmarks.policies;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;

/**
 * S3-FIFO (Yang et al., SOSP'23): a small queue for what is new, a main queue, and a ghost queue of
 * ids that were evicted from the small one. A block that is used in the small queue often enough,
 * or comes back while it is a ghost, goes to the main one.
 */
final class S3Fifo implements Policy {
  private static final int MOST_USES = 3;

  private final int capacity;
  private final int smallCapacity;
  private final int usesToStay;
  private final LinkedHashMap<Integer, Integer> small = new LinkedHashMap<>(); // block and uses
  private final LinkedHashMap<Integer, Integer> main = new LinkedHashMap<>();
  private final LinkedHashSet<Integer> ghosts = new LinkedHashSet<>();

  /**
   * An empty cache; its makers take a tenth and two.
   *
   * @param smallShare of the capacity for the small queue
   * @param usesToStay uses in the small queue after which a block goes to the main one
   */
  S3Fifo(int capacity, double smallShare, int usesToStay) {
    this.capacity = capacity;
    this.smallCapacity = Math.max(1, (int) (capacity * smallShare));
    this.usesToStay = usesToStay;
  }

  @Override
  public boolean has(int block) {
    return small.containsKey(block) || main.containsKey(block);
  }

  @Override
  public void use(int block) {
    Map<Integer, Integer> queue = small.containsKey(block) ? small : main;
    if (queue.containsKey(block)) {
      queue.merge(block, 1, (uses, one) -> Math.min(MOST_USES, uses + one));
      return;
    }
    while (small.size() + main.size() >= capacity) {
      evict();
    }
    (ghosts.remove(block) ? main : small).put(block, 0);
  }

  private void evict() {
    if (small.size() >= smallCapacity || main.isEmpty()) {
      evictSmall();
    } else {
      evictMain();
    }
  }

  private void evictSmall() {
    while (!small.isEmpty()) {
      Map.Entry<Integer, Integer> first = small.pollFirstEntry();
      if (first.getValue() >= usesToStay) {
        main.put(first.getKey(), 0);
        if (main.size() > capacity - smallCapacity) {
          evictMain();
        }
      } else {
        ghosts.addLast(first.getKey());
        if (ghosts.size() > capacity - smallCapacity) {
          ghosts.removeFirst();
        }
        return;
      }
    }
  }

  private void evictMain() {
    while (!main.isEmpty()) {
      Map.Entry<Integer, Integer> first = main.pollFirstEntry();
      if (first.getValue() == 0) {
        return;
      }
      main.put(first.getKey(), first.getValue() - 1);
    }
  }
}
