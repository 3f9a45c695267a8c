package io.kvasir.conformance.engine;

import io.kvasir.api.KvConnector;
import io.kvasir.api.WeightUpdate;
import io.kvasir.api.identity.Weights;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** The weights of the engine, and how they change. */
final class EngineWeights {
  private final long seed;
  private final List<Weights> before = new ArrayList<>();
  private Weights now;
  private long number;
  private int steps;

  EngineWeights(Weights first, long seed) {
    this.seed = seed;
    set(first);
  }

  private void set(Weights next) {
    now = next;
    number = Model.weights(next);
    if (!(next instanceof Weights.Delta)) { // such a state follows one other state only
      before.add(next);
    }
  }

  /** {@return the number that stands for the weights in force} */
  long number() {
    return number;
  }

  /** Ends an update: with new weights, some new ones, old ones, the same, or nobody knows which. */
  void change(WeightUpdate update, KvConnector connector, SplittableRandom random) {
    String run = "run-" + seed;
    String step = "step-" + steps++;
    switch (random.nextInt(10)) {
      case 0 -> set(Weights.delta(now, run, step));
      case 1 -> set(before.get(random.nextInt(before.size())));
      case 2 -> set(now);
      case 3 -> {
        update.close();
        set(connector.namespace().weights());
        return;
      }
      case 4, 5, 6, 7 ->
          set(before.get(Math.max(0, before.size() - 2))); // its blocks are there yet
      default -> set(Weights.full(run, step));
    }
    update.commit(now);
    update.close();
  }
}
