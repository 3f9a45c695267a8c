package io.kvasir.conformance;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What several threads did with one block, and whether there is an order of it that a store of one
 * thread could have had and in which nothing comes before what ended before it began (Wing and
 * Gong). Thread-safe while it is recorded.
 */
final class RegisterHistory {
  /** No block, or that nothing was found. */
  static final int ABSENT = 0;

  private static final int MOST = 30;

  enum Kind {
    SAVE,
    LOAD,
    REMOVE
  }

  /** An operation with the value that it saved or found, between two moments. */
  record Event(Kind kind, int value, long began, long ended) {
    @Override
    public String toString() {
      String what =
          kind == Kind.REMOVE ? "removed" : (kind == Kind.SAVE ? "saved " : "found ") + value;
      return "%d to %d: %s"
          .formatted(began, ended, value == ABSENT && kind == Kind.LOAD ? "found nothing" : what);
    }
  }

  private final AtomicLong clock = new AtomicLong();
  private final List<Event> events = new ArrayList<>();

  long now() {
    return clock.incrementAndGet();
  }

  synchronized void add(Kind kind, int value, long began) {
    if (events.size() == MOST) {
      throw new IllegalStateException("more than " + MOST + " events");
    }
    events.add(new Event(kind, value, began, now()));
  }

  /** {@return whether one thread could have done all of it} */
  synchronized boolean linearizable() {
    return search(0, ABSENT, new HashSet<>());
  }

  private boolean search(int done, int value, Set<Long> seen) {
    if (Integer.bitCount(done) == events.size()) {
      return true;
    }
    if (!seen.add((long) done << 32 | value)) {
      return false;
    }
    long firstEnd = Long.MAX_VALUE;
    for (int i = 0; i < events.size(); i++) {
      if ((done >> i & 1) == 0) {
        firstEnd = Math.min(firstEnd, events.get(i).ended());
      }
    }
    for (int i = 0; i < events.size(); i++) {
      Event event = events.get(i);
      boolean next = (done >> i & 1) == 0 && event.began() <= firstEnd;
      if (next && possible(event, value) && search(done | 1 << i, after(event, value), seen)) {
        return true;
      }
    }
    return false;
  }

  private static boolean possible(Event event, int value) {
    return event.kind() != Kind.LOAD || event.value() == value;
  }

  private static int after(Event event, int value) {
    return switch (event.kind()) {
      case SAVE -> value == ABSENT ? event.value() : value;
      case LOAD -> value;
      case REMOVE -> ABSENT;
    };
  }

  @Override
  public synchronized String toString() {
    StringBuilder out = new StringBuilder();
    events.stream()
        .sorted((a, b) -> Long.compare(a.began(), b.began()))
        .forEach(event -> out.append("\n  ").append(event));
    return out.toString();
  }
}
