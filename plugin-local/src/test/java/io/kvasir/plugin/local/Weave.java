package io.kvasir.plugin.local;

import java.lang.reflect.Constructor;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Executor;

/**
 * Runs threads one at a time and decides by a seed who goes on whenever one waits or yields: the same seed, the same
 * interleaving. The threads are virtual ones on a scheduler of our own, so that the product's locks and conditions need no
 * seam; the JDK has the constructor for its own tests, hence {@code --add-opens java.base/java.lang}.
 */
final class Weave implements Executor {
  private static final Constructor<?> BUILDER = builder();

  private final Random random;
  private final List<Runnable> ready = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private Throwable thrown;

  Weave(Random random) {
    this.random = random;
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
    ready.add(task);
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
      throw new AssertionError(e);
    }
  }

  /** Runs until nobody can go on; what a thread threw is thrown here, and so is a thread that waits for ever. */
  void run() {
    while (!ready.isEmpty()) {
      int last = ready.size() - 1;
      int chosen = random.nextInt(ready.size());
      Runnable task = ready.get(chosen);
      ready.set(chosen, ready.get(last));
      ready.remove(last);
      task.run();
    }
    if (thrown != null) {
      throw new Violation("a thread threw " + thrown, thrown);
    }
    for (Thread thread : threads) {
      if (thread.isAlive()) {
        throw new Violation("a thread waits for ever at " + List.of(thread.getStackTrace()), null);
      }
    }
  }

  /** What must not happen. */
  static final class Violation extends RuntimeException {
    private static final long serialVersionUID = 1;

    Violation(String message, Throwable cause) {
      super(message, cause);
    }
  }
}
