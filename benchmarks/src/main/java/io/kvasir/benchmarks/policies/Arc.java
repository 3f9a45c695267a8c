package io.kvasir.benchmarks.policies;

import java.util.LinkedHashSet;

/**
 * ARC (Megiddo and Modha, FAST'03): what was used once and what was used again, each in order of
 * its last use, with ghosts of both that move the border between them.
 */
final class Arc implements Policy {
  private final int capacity;
  private final LinkedHashSet<Integer> once = new LinkedHashSet<>();
  private final LinkedHashSet<Integer> again = new LinkedHashSet<>();
  private final LinkedHashSet<Integer> onceGhosts = new LinkedHashSet<>();
  private final LinkedHashSet<Integer> againGhosts = new LinkedHashSet<>();
  private double target; // size of "once" that is aimed at

  Arc(int capacity) {
    this.capacity = capacity;
  }

  @Override
  public boolean has(int block) {
    return once.contains(block) || again.contains(block);
  }

  @Override
  public void use(int block) {
    if (once.remove(block) || again.contains(block)) {
      again.addLast(block);
    } else if (onceGhosts.contains(block)) {
      double step = Math.max(1, (double) againGhosts.size() / onceGhosts.size());
      target = Math.min(capacity, target + step);
      replace(false);
      onceGhosts.remove(block);
      again.addLast(block);
    } else if (againGhosts.contains(block)) {
      double step = Math.max(1, (double) onceGhosts.size() / againGhosts.size());
      target = Math.max(0, target - step);
      replace(true);
      againGhosts.remove(block);
      again.addLast(block);
    } else {
      makeRoom();
      once.addLast(block);
    }
  }

  private void makeRoom() {
    int first = once.size() + onceGhosts.size();
    int all = first + again.size() + againGhosts.size();
    if (first == capacity) {
      if (once.size() < capacity) {
        onceGhosts.removeFirst();
        replace(false);
      } else {
        once.removeFirst();
      }
    } else if (all >= capacity) {
      if (all == 2 * capacity) {
        againGhosts.removeFirst();
      }
      replace(false);
    }
  }

  private void replace(boolean forAgain) {
    boolean fromOnce =
        !once.isEmpty() && (once.size() > target || (forAgain && once.size() == (int) target));
    if (fromOnce || again.isEmpty()) {
      onceGhosts.addLast(once.removeFirst());
    } else {
      againGhosts.addLast(again.removeFirst());
    }
  }
}
