package io.kvasir.cli.verify;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.Deadline;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.identity.NamespaceId;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.store.BlockLease;
import io.kvasir.api.store.Blocks;
import io.kvasir.api.store.Frame;
import io.kvasir.api.store.NamespaceStore;
import io.kvasir.api.store.Store;
import io.kvasir.api.store.StoreException;
import io.kvasir.conformance.wrap.ForwardingNamespace;
import io.kvasir.conformance.wrap.ForwardingStore;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Repeats a call that failed and said so: a store may fail, and no rule is broken by it. What fails
 * each time, or is wrong, goes through. A store that does not answer is not asked for ever.
 */
final class PatientStore extends ForwardingStore {
  private static final int ATTEMPTS = 4;
  private static final String NOT_ASKED =
      "the store is not asked any more: it let the deadlines of three calls pass";

  private final Witness witness;

  PatientStore(Store store, Witness witness) {
    super(store);
    this.witness = witness;
  }

  private interface Action<T> {
    T run() throws StoreException;
  }

  private <T> T patiently(String what, Deadline deadline, Action<T> action) throws StoreException {
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
  public NamespaceStore open(NamespaceManifest manifest) throws StoreException {
    return new Patient(patiently("open", Deadline.never(), () -> store().open(manifest)));
  }

  @Override
  public void remove(NamespaceId namespace, Deadline deadline) throws StoreException {
    patiently(
        "remove namespace",
        deadline,
        () -> {
          store().remove(namespace, deadline);
          return null;
        });
  }

  private final class Patient extends ForwardingNamespace {
    Patient(NamespaceStore namespace) {
      super(namespace);
    }

    @Override
    public BlockLease lookup(BlockKeys keys, Deadline deadline) throws StoreException {
      return patiently("lookup", deadline, () -> super.lookup(keys, deadline));
    }

    @Override
    public void remove(BlockKeys keys, Deadline deadline) throws StoreException {
      patiently(
          "remove",
          deadline,
          () -> {
            super.remove(keys, deadline);
            return null;
          });
    }

    @Override
    public void load(BlockLease lease, Blocks into, Deadline deadline) {
      blocks("load", into, deadline, part -> super.load(lease, part, deadline));
    }

    @Override
    public void save(Blocks from, Deadline deadline) {
      blocks("save", from, deadline, part -> super.save(part, deadline));
    }

    private void blocks(
        String what, Blocks blocks, Deadline deadline, java.util.function.Consumer<Blocks> call) {
      List<Frame> frames = IntStream.range(0, blocks.count()).mapToObj(blocks::frame).toList();
      for (int attempt = 1; ; attempt++) {
        if (witness.silent()) {
          blocks.setRest(
              BlockStatus.TIMEOUT, new StoreException(StoreException.Kind.TIMEOUT, NOT_ASKED));
          return;
        }
        Blocks part = new Blocks(blocks.keys(), frames);
        long start = System.nanoTime();
        call.accept(part);
        boolean busy =
            part.retained(); // by a call that its deadline ended, and its library did not
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
