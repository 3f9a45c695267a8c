package io.kvasir.cli.verify;

import io.kvasir.api.ByteSize;
import io.kvasir.api.store.StoreProvider;
import io.kvasir.conformance.Soak;
import io.kvasir.conformance.StoreContract;
import io.kvasir.conformance.TestContext;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDirFactory;

/** The contract over the backend that is being verified. JUnit makes one for each test. */
@ExtendWith(VerifiedStore.Around.class)
final class VerifiedStore extends StoreContract {
  static final String NOT_TRIED = "not tried: the store does not answer";

  private static final AtomicInteger TESTS = new AtomicInteger();
  private static volatile Verification verification;

  private final Verification mine = verification;
  private final long troubles = mine.witness().troubles();
  private final String name =
      "%d-%d".formatted(ProcessHandle.current().pid(), TESTS.incrementAndGet());
  private Record last;

  /** Says for which verification JUnit makes tests from now on. */
  static void by(Verification now) {
    verification = now;
  }

  @Override
  protected StoreProvider provider() {
    return mine.subject();
  }

  @Override
  protected Record configuration(Path directory, ByteSize capacity) {
    // a crash's copy is another store: it has the same name, and a directory of its own
    last = mine.subject().configuration(directory, name);
    return last;
  }

  @Override
  public Soak soak() {
    return mine.soak();
  }

  @Override
  protected ByteSize capacity() {
    return mine.subject().room();
  }

  @Override
  protected long blockBytes() {
    return capacity().bytes() / 256 / 64 * 64;
  }

  @Override
  protected boolean troubled() {
    return mine.witness().troubles() > troubles;
  }

  /** Folders that are gone with those of the command, also where a test does not end. */
  static final class Folders implements TempDirFactory {
    Folders() {}

    @Override
    public Path createTempDirectory(AnnotatedElementContext element, ExtensionContext context)
        throws IOException {
      return Files.createTempDirectory(verification.stores(), "test-");
    }
  }

  /** Cleans up behind each test, and ends a run in which nothing answers. */
  static final class Around implements AfterEachCallback, ExecutionCondition {
    Around() {}

    @Override
    public void afterEach(ExtensionContext context) {
      Thread.interrupted(); // by whoever ends the run; what is stored is removed all the same
      VerifiedStore test = (VerifiedStore) context.getRequiredTestInstance();
      if (test.last != null) {
        test.mine.left(test.mine.subject().clean(new TestContext(test.last)));
      }
    }

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
      return verification.witness().silent()
          ? ConditionEvaluationResult.disabled(NOT_TRIED)
          : ConditionEvaluationResult.enabled("");
    }
  }
}
