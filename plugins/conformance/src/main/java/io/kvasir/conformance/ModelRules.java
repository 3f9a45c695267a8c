package io.kvasir.conformance;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.store.BlockLease;
import io.kvasir.api.store.Blocks;
import io.kvasir.api.store.NamespaceStore;
import io.kvasir.api.store.StoreException;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CyclicBarrier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** R-MODEL: whatever is done in whatever order, a store is what a simple model says. */
public interface ModelRules extends StoreRules {
  /** LMCache#562 and its kin: faults that need three steps to show. */
  @Test
  @Rule("R-MODEL-1")
  default void randomOperationsAgreeWithTheModel() throws StoreException {
    SplittableRandom random = Seed.random("model");
    for (int history = 0; history < 10; history++) {
      List<Operation> operations = Operation.random(random, bench().claims(), 60);
      Throwable failure = failure(operations, "history " + history);
      if (failure != null) {
        int[] attempt = {0};
        List<Operation> few =
            Shrinking.smallest(
                operations, part -> failure(part, "attempt " + attempt[0]++) != null, 150);
        Throwable last = failure(few, "last");
        throw new AssertionError(
            "%s%nseed %d, history %d: %d operations, of which these are enough:%s"
                .formatted(
                    last == null ? failure.getMessage() : last.getMessage(),
                    Seed.value(),
                    history,
                    operations.size(),
                    lines(few)),
            last == null ? failure : last);
      }
    }
  }

  private static String lines(List<Operation> operations) {
    StringBuilder out = new StringBuilder();
    for (int i = 0; i < operations.size(); i++) {
      out.append("%n  %d. %s".formatted(i + 1, operations.get(i)));
    }
    return out.toString();
  }

  /** {@return what a history fails with, or null} */
  private Throwable failure(List<Operation> operations, String name) {
    try (ModelRun run = new ModelRun(bench(), name)) {
      run.run(operations);
      return null;
    } catch (StoreException | RuntimeException | AssertionError e) {
      return e;
    }
  }

  /** LMCache#4991: between two writers, a reader and a removal there is an order. */
  @Test
  @Rule("R-MODEL-2")
  default void publishingIsLinearizable() throws StoreException {
    StoreBench bench = bench();
    NamespaceManifest manifest = Manifests.of("team", 4096);
    int threads = 3;
    try (NamespaceStore namespace = bench.store().open(manifest)) {
      for (int text = 0; text < 40; text++) {
        BlockKeys keys = Chains.keys(manifest, text, 1);
        RegisterHistory history = new RegisterHistory();
        CyclicBarrier together = new CyclicBarrier(threads);
        Crew crew = new Crew();
        for (int thread = 0; thread < threads; thread++) {
          SplittableRandom random = Seed.random("linear " + text + " " + thread);
          int value = thread + 1;
          crew.start(
              "thread " + thread,
              () -> {
                together.await();
                for (int i = 0; i < 4; i++) {
                  act(namespace, keys, history, i == 0 ? 0 : random.nextInt(8), value);
                }
              });
        }
        crew.join();
        assertTrue(
            history.linearizable(),
            () -> "no order of these explains what they found, seed " + Seed.value() + history);
      }
    }
  }

  private void act(
      NamespaceStore namespace, BlockKeys keys, RegisterHistory history, int choice, int value)
      throws StoreException {
    long began = history.now();
    if (choice < 2) {
      Blocks blocks = bench().filled(keys, _ -> value);
      namespace.save(blocks, StoreBench.soon());
      StoreBench.all(BlockStatus.OK, blocks);
      history.add(RegisterHistory.Kind.SAVE, value, began);
    } else if (choice == 2 && bench().claims().scopedDelete()) {
      namespace.remove(keys, StoreBench.soon());
      history.add(RegisterHistory.Kind.REMOVE, RegisterHistory.ABSENT, began);
    } else {
      history.add(RegisterHistory.Kind.LOAD, found(namespace, keys), began);
    }
  }

  private int found(NamespaceStore namespace, BlockKeys keys) throws StoreException {
    Blocks blocks = bench().empty(keys);
    try (BlockLease lease = namespace.lookup(keys, StoreBench.soon())) {
      namespace.load(lease, blocks, StoreBench.soon());
    }
    if (blocks.status(0) == BlockStatus.MISS) {
      return RegisterHistory.ABSENT;
    }
    StoreBench.all(BlockStatus.OK, blocks);
    return IntStream.rangeClosed(1, 3)
        .filter(v -> Payload.firstWrong(blocks.frame(0).payload(), v) < 0)
        .findFirst()
        .orElseThrow(() -> new AssertionError("a block that nobody saved"));
  }
}
