package io.kvasir.benchmarks.policies;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;

/**
 * W-TinyLFU (Einziger et al., ToS'17) with a window of one hundredth that does not adapt: what
 * leaves the window has to be used more often than the victim of the main part. Counters are exact,
 * up to 15, and halved after ten uses for each block of the capacity.
 */
final class WTinyLfu implements Policy {
  private static final int MOST_USES = 15;

  private final int capacity;
  private final int windowCapacity;
  private final int protectedCapacity;
  private final LinkedHashSet<Integer> window = new LinkedHashSet<>();
  private final LinkedHashSet<Integer> probation = new LinkedHashSet<>();
  private final LinkedHashSet<Integer> guarded = new LinkedHashSet<>();
  private final Map<Integer, Integer> uses = new HashMap<>();
  private long sinceHalved;

  WTinyLfu(int capacity) {
    this.capacity = capacity;
    this.windowCapacity = Math.max(1, capacity / 100);
    this.protectedCapacity = (capacity - windowCapacity) * 4 / 5;
  }

  @Override
  public boolean has(int block) {
    return window.contains(block) || probation.contains(block) || guarded.contains(block);
  }

  @Override
  public void use(int block) {
    count(block);
    if (window.contains(block)) {
      window.addLast(block);
    } else if (guarded.contains(block)) {
      guarded.addLast(block);
    } else if (probation.remove(block)) {
      guarded.addLast(block);
      if (guarded.size() > protectedCapacity) {
        probation.addLast(guarded.removeFirst());
      }
    } else {
      window.addLast(block);
      if (window.size() > windowCapacity) {
        admit(window.removeFirst());
      }
    }
  }

  private void count(int block) {
    uses.merge(block, 1, (a, b) -> Math.min(MOST_USES, a + b));
    if (++sinceHalved >= 10L * capacity) {
      sinceHalved = 0;
      uses.replaceAll((key, value) -> value / 2);
      uses.values().removeIf(value -> value == 0);
    }
  }

  private void admit(int candidate) {
    if (probation.size() + guarded.size() < capacity - windowCapacity) {
      probation.addLast(candidate);
      return;
    }
    LinkedHashSet<Integer> from = probation.isEmpty() ? guarded : probation;
    if (!from.isEmpty() && frequency(candidate) > frequency(from.getFirst())) {
      from.removeFirst();
      probation.addLast(candidate);
    }
  }

  private int frequency(int block) {
    return uses.getOrDefault(block, 0);
  }
}
