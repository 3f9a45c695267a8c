package io.kvasir.cli.verify;

import io.kvasir.api.ByteSize;
import io.kvasir.api.store.Store;
import io.kvasir.api.store.StoreException;
import io.kvasir.conformance.TestContext;
import io.kvasir.conformance.speed.SpeedReport;
import io.kvasir.conformance.speed.StoreSpeed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** A store with nothing before it that costs time, and with more room than rules need. */
final class MeasuredStore implements AutoCloseable {
  private final Subject subject;
  private final Path directory;
  private final ByteSize room;
  private final TestContext context;
  private Store store;

  MeasuredStore(Subject subject, Path folder) throws IOException {
    this.subject = subject;
    this.directory = Files.createDirectory(folder.resolve("store"));
    this.room = subject.roomToMeasure();
    this.context =
        new TestContext(
            subject.configuration(directory, ProcessHandle.current().pid() + "-speed", room));
  }

  SpeedReport measure() {
    try {
      store = subject.openBare(context);
      Optional<StoreSpeed.Reopening> reopening =
          subject.descriptor().capabilities().persistent()
              ? Optional.of(this::again)
              : Optional.empty();
      return StoreSpeed.of(store, directory, room, reopening);
    } catch (StoreException e) {
      return SpeedReport.none(e.getMessage());
    }
  }

  private Store again() throws StoreException {
    store.close();
    store = subject.openBare(context);
    return store;
  }

  /** {@return how many namespaces could not be removed} */
  int clean() {
    Thread.interrupted(); // by whoever ends the run; what is stored is removed all the same
    close();
    return subject.clean(context);
  }

  @Override
  public void close() {
    if (store != null) {
      try {
        store.close();
      } catch (StoreException e) {
        // it was measured; whether it closes well is a rule's question
      }
      store = null;
    }
  }
}
