package io.kvasir.plugin.local;

import java.lang.reflect.Constructor;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Runs threads one at a time and decides by a seed who goes on whenever one waits or yields: the
 * same seed, the same interleaving. The threads are virtual ones on a scheduler of our own, so that
 * the product's locks and conditions need no seam; the JDK has the constructor for its own tests,
 * hence {@code --add-opens java.base/java.lang}.
 */
final class Weave implements Executor {
  private static final Constructor<?> BUILDER = builder();

  private static final long PATIENCE_SECONDS = 20;

  private final Random random;
  private final boolean fair;
  private final BlockingQueue<Runnable> arrived = new LinkedBlockingQueue<>();
  private final List<Runnable> ready = new ArrayList<>();
  private final IdentityHashMap<Runnable, Integer> ranks = new IdentityHashMap<>();
  private final List<Thread> threads = new ArrayList<>();
  private Throwable thrown;

  Weave(Random random) {
    this.random = random;
    this.fair = random.nextBoolean();
  }

  private static Constructor<?> builder() {
    try {
      Constructor<?> constructor =
          Class.forName("java.lang.ThreadBuilders$VirtualThreadBuilder")
              .getDeclaredConstructor(Executor.class);
      constructor.setAccessible(true);
      return constructor;
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  @Override
  public void execute(Runnable task) {
    arrived.add(task);
  }

  void start(Runnable body) {
    try {
      Thread.Builder.OfVirtual builder = (Thread.Builder.OfVirtual) BUILDER.newInstance(this);
      threads.add(
          builder.start(
              () -> {
                try {
                  body.run();
                } catch (Throwable e) {
                  thrown = e;
                }
              }));
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("the JDK has it", e);
    }
  }

  /**
   * Runs all threads to their ends; what one threw is thrown here, and so is one that waits for
   * ever.
   */
  void run() {
    while (threads.stream().anyMatch(Thread::isAlive)) {
      arrived.drainTo(ready);
      if (ready.isEmpty() && !awaitArrival()) {
        Thread stuck = threads.stream().filter(Thread::isAlive).findFirst().orElseThrow();
        throw new Violation("HANGS at " + List.of(stuck.getStackTrace()), null);
      }
      ready.remove(choose()).run();
    }
    if (thrown != null) {
      throw new Violation("a thread threw " + thrown, thrown);
    }
  }

  /**
   * A thread may wait for the JDK's own threads, on a monitor inside of it; for longer than that,
   * for ever.
   */
  private boolean awaitArrival() {
    try {
      Runnable task = arrived.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
      return task != null && ready.add(task);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /**
   * Anybody, or whoever has the highest rank: ranks change now and then, so that a thread can stay
   * behind for long.
   */
  private int choose() {
    if (fair) {
      return random.nextInt(ready.size());
    }
    int best = 0;
    for (int i = 1; i < ready.size(); i++) {
      if (rank(ready.get(i)) > rank(ready.get(best))) {
        best = i;
      }
    }
    if (random.nextInt(12) == 0) {
      ranks.put(ready.get(best), random.nextInt());
    }
    return best;
  }

  private int rank(Runnable task) {
    return ranks.computeIfAbsent(task, any -> random.nextInt());
  }

  /** What must not happen. */
  static final class Violation extends RuntimeException {
    private static final long serialVersionUID = 1;

    Violation(String message, Throwable cause) {
      super(message, cause);
    }

    /** What a thread saw, without where it passed through. */
    String root() {
      return getCause() instanceof Violation inner ? inner.root() : getMessage();
    }
  }
}
