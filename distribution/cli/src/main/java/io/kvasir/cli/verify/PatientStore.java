package io.kvasir.cli.verify;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.Deadline;
import io.kvasir.api.store.Blocks;
import io.kvasir.api.store.Frame;
import io.kvasir.api.store.Store;
import io.kvasir.api.store.StoreException;
import io.kvasir.conformance.wrap.InterceptingStore;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * Repeats a call that failed and said so: a store may fail, and no rule is broken by it. What fails
 * each time, or is wrong, goes through. A store that does not answer is not asked for ever.
 */
final class PatientStore extends InterceptingStore {
  private static final int ATTEMPTS = 4;
  private static final String NOT_ASKED =
      "the store is not asked any more: it let the deadlines of three calls pass";

  private final Witness witness;

  PatientStore(Store store, Witness witness) {
    super(store);
    this.witness = witness;
  }

  @Override
  protected <T> T around(String what, Object on, Deadline deadline, Action<T> action)
      throws StoreException {
    for (int attempt = 1; ; attempt++) {
      if (witness.silent()) {
        throw new StoreException(StoreException.Kind.TIMEOUT, NOT_ASKED);
      }
      long start = System.nanoTime();
      try {
        return action.run();
      } catch (StoreException e) {
        if (e.kind() == StoreException.Kind.TIMEOUT) {
          witness.timedOut(System.nanoTime() - start);
        }
        if (attempt == ATTEMPTS || deadline.expired() || !mayPass(e)) {
          throw e;
        }
        witness.repeated(what, e.kind().toString());
      }
    }
  }

  private static boolean mayPass(StoreException e) {
    return switch (e.kind()) {
      case IO, UNAVAILABLE, TIMEOUT -> true;
      case CONFIGURATION, MISMATCH, CAPACITY, CLOSED, UNSUPPORTED -> false;
    };
  }

  @Override
  protected void around(String what, Blocks blocks, Deadline deadline, Consumer<Blocks> action) {
    List<Frame> frames = IntStream.range(0, blocks.count()).mapToObj(blocks::frame).toList();
    for (int attempt = 1; ; attempt++) {
      if (witness.silent()) {
        blocks.setRest(
            BlockStatus.TIMEOUT, new StoreException(StoreException.Kind.TIMEOUT, NOT_ASKED));
        return;
      }
      Blocks part = new Blocks(blocks.keys(), frames);
      long start = System.nanoTime();
      action.accept(part);
      boolean busy = part.retained(); // by a call that its deadline ended, and its library did not
      part.whenFree(blocks.retain());
      BlockStatus failed = failed(part);
      if (failed == BlockStatus.TIMEOUT) {
        witness.timedOut(System.nanoTime() - start);
      }
      if (failed == null || busy || attempt == ATTEMPTS || deadline.expired()) {
        for (int i = 0; i < part.count(); i++) {
          blocks.set(i, part.status(i), part.cause(i));
        }
        return;
      }
      witness.repeated(what, failed.toString());
    }
  }

  private static BlockStatus failed(Blocks blocks) {
    for (int i = 0; i < blocks.count(); i++) {
      BlockStatus status = blocks.status(i);
      if (status == BlockStatus.IO || status == BlockStatus.TIMEOUT) {
        return status;
      }
    }
    return null;
  }
}
