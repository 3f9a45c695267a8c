package io.kvasir.cli.verify;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import io.kvasir.api.store.StoreProvider;
import io.kvasir.cli.verify.Finding.Outcome;
import io.kvasir.conformance.Rule;
import io.kvasir.conformance.StoreContract;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** One run of the kit against a backend. */
public final class Verification {
  /** The test without which no other is worth its time. */
  private static final String ANSWERS = "storeThatSaysUpAnswersBeforeItsDeadline";

  private final Witness witness = new Witness();
  private final Subject subject;
  private final Consumer<Finding> progress;
  private final List<Finding> findings = new ArrayList<>();
  private int left;

  /**
   * Prepares a run.
   *
   * @param said the store's object in the operator's file
   * @param binder makes the backend's configuration of such an object
   * @param progress told of each rule
   * @throws io.kvasir.api.KvasirException if this configuration cannot be verified
   */
  public Verification(
      StoreProvider provider,
      Map<String, Object> said,
      Function<Map<String, Object>, Record> binder,
      Consumer<Finding> progress) {
    this.subject = new Subject(provider, said, binder, witness);
    this.progress = progress;
  }

  /**
   * Runs the kit.
   *
   * @param rules numbers of rules, or how they begin; all rules if there are none
   * @return what came of each rule, in the order in which they were tried
   */
  public List<Finding> run(List<String> rules) {
    VerifiedStore.by(this);
    execute(List.of(selectMethod(VerifiedStore.class, ANSWERS)));
    if (findings.stream().noneMatch(f -> f.outcome() == Outcome.BROKEN)) {
      execute(
          Arrays.stream(StoreContract.class.getMethods())
              .filter(method -> method.isAnnotationPresent(Rule.class))
              .filter(method -> among(method.getAnnotation(Rule.class).value(), rules))
              .<DiscoverySelector>map(m -> selectMethod(VerifiedStore.class, m.getName()))
              .toList());
    }
    return findings;
  }

  private static boolean among(String rule, List<String> rules) {
    return rules.isEmpty() || rules.stream().anyMatch(rule::startsWith);
  }

  /** {@return what was seen of the store, a sentence each} */
  public List<String> seen() {
    List<String> out = new ArrayList<>(witness.sentences());
    if (left > 0) {
      out.add("%d namespaces are left behind: the backend could not remove them".formatted(left));
    }
    return out;
  }

  /** {@return how much of a store the tests filled} */
  public io.kvasir.api.ByteSize room() {
    return subject.room();
  }

  private void execute(List<DiscoverySelector> selectors) {
    LauncherFactory.create()
        .execute(
            LauncherDiscoveryRequestBuilder.request()
                .selectors(selectors)
                .configurationParameter(
                    "junit.jupiter.testmethod.order.default",
                    "org.junit.jupiter.api.MethodOrderer$DisplayName")
                .build(),
            new Listener());
  }

  Witness witness() {
    return witness;
  }

  Subject subject() {
    return subject;
  }

  synchronized void left(int namespaces) {
    left += namespaces;
  }

  private synchronized void found(
      TestIdentifier test, Outcome outcome, Throwable cause, String reason, Duration took) {
    String[] name = test.getDisplayName().split(": ", 2);
    if (findings.stream().anyMatch(f -> f.rule().equals(name[0]))) {
      return; // the first one is run again with the others
    }
    String detail = cause == null ? reason : told(cause);
    Finding finding =
        new Finding(
            name[0],
            name.length > 1 ? name[1] : "",
            outcome,
            detail,
            outcome == Outcome.BROKEN ? trace(cause) : "",
            took);
    findings.add(finding);
    progress.accept(finding);
  }

  /** {@return what a failure and its causes say} */
  private static String told(Throwable cause) {
    List<String> out = new ArrayList<>();
    for (Throwable t = cause; t != null && out.size() < 4; t = t.getCause()) {
      String said = t.getMessage() == null ? t.getClass().getSimpleName() : t.getMessage();
      out.add(said.strip().replace("Assumption failed: ", ""));
    }
    return String.join("; ", out.stream().distinct().toList());
  }

  private static String trace(Throwable cause) {
    StringWriter out = new StringWriter();
    cause.printStackTrace(new PrintWriter(out));
    return out.toString();
  }

  private final class Listener implements TestExecutionListener {
    private long start;

    @Override
    public void executionStarted(TestIdentifier test) {
      start = System.nanoTime();
    }

    @Override
    public void executionSkipped(TestIdentifier test, String reason) {
      if (test.isTest()) {
        found(test, Outcome.SKIPPED, null, reason, Duration.ZERO);
      }
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
      Throwable cause = result.getThrowable().orElse(null);
      Duration took = Duration.ofNanos(System.nanoTime() - start);
      if (test.isTest()) {
        Outcome outcome =
            switch (result.getStatus()) {
              case SUCCESSFUL -> Outcome.HOLDS;
              case ABORTED -> Outcome.SKIPPED;
              case FAILED -> Outcome.BROKEN;
            };
        found(test, outcome, cause, "", took);
      } else if (cause != null) {
        found(test, Outcome.BROKEN, cause, "", took);
      }
    }
  }
}
