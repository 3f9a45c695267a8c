package io.kvasir.cli.verify;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import io.kvasir.api.store.StoreProvider;
import io.kvasir.cli.verify.Finding.Outcome;
import io.kvasir.conformance.Rule;
import io.kvasir.conformance.Soak;
import io.kvasir.conformance.StoreContract;
import io.kvasir.conformance.speed.SpeedReport;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
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

  private static final String SOAK = "longMixedLoadLeavesNoLeaseNoMemoryAndAStoreThatWorks";

  private final Witness witness = new Witness();
  private final Subject subject;
  private final Consumer<Finding> progress;
  private final Consumer<String> told;
  private final List<Finding> findings = new ArrayList<>();
  private final List<String> soaked = new ArrayList<>();
  private Soak soak = Soak.ofThisBuild();
  private final Path stores;
  private final Thread caller = Thread.currentThread();
  private volatile boolean stopped;
  private int left;

  /**
   * Prepares a run.
   *
   * @param said the store's object in the operator's file
   * @param binder makes the backend's configuration of such an object
   * @param stores an empty folder for the stores of the tests
   * @param progress told of each rule
   * @param told hears what happens while a rule takes its time
   * @throws io.kvasir.api.KvasirException if this configuration cannot be verified
   */
  public Verification(
      StoreProvider provider,
      Map<String, Object> said,
      Function<Map<String, Object>, Record> binder,
      Path stores,
      Consumer<Finding> progress,
      Consumer<String> told) {
    this.subject = new Subject(provider, said, binder, witness);
    this.stores = stores;
    this.progress = progress;
    this.told = told;
  }

  /**
   * Runs the kit.
   *
   * @param rules numbers of rules, or their sections; all rules if there are none
   * @param withoutSoak whether the soak comes later, by {@link #soak}
   * @return what came of each rule, in the order in which they were tried
   */
  public List<Finding> run(List<String> rules, boolean withoutSoak) {
    VerifiedStore.by(this);
    execute(List.of(selectMethod(VerifiedStore.class, ANSWERS)));
    if (sound()) {
      execute(
          tests()
              .filter(method -> among(method.getAnnotation(Rule.class).value(), rules))
              .filter(method -> !withoutSoak || !method.getName().equals(SOAK))
              .<DiscoverySelector>map(m -> selectMethod(VerifiedStore.class, m.getName()))
              .toList());
    }
    return List.copyOf(findings);
  }

  /** {@return what came of the soak, if it lasts so long; nothing where a rule is broken} */
  public List<Finding> soak(Duration lasts) {
    if (!sound()) {
      return List.of();
    }
    soak = new Soak(lasts, told, soaked::add);
    int before = findings.size();
    execute(List.of(selectMethod(VerifiedStore.class, SOAK)));
    return List.copyOf(findings.subList(before, findings.size()));
  }

  /**
   * {@return how fast a store of its own is; nothing where a rule is broken}
   *
   * @param folder an empty one, on the disk that is of interest
   */
  public Optional<SpeedReport> speed(Path folder) throws IOException {
    if (!sound()) {
      return Optional.empty();
    }
    try (MeasuredStore store = new MeasuredStore(subject, folder)) {
      SpeedReport report = store.measure();
      left(store.clean());
      return Optional.of(report);
    }
  }

  private boolean sound() {
    return !stopped && findings.stream().noneMatch(f -> f.outcome() == Outcome.BROKEN);
  }

  private static Stream<Method> tests() {
    return Arrays.stream(StoreContract.class.getMethods())
        .filter(method -> method.isAnnotationPresent(Rule.class));
  }

  private static boolean among(String rule, List<String> rules) {
    return rules.isEmpty() || rules.stream().anyMatch(given -> isOf(rule, given));
  }

  /** R-ATOM-1 is itself and not R-ATOM-10. */
  private static boolean isOf(String rule, String given) {
    return rule.equals(given) || rule.startsWith(given.endsWith("-") ? given : given + "-");
  }

  /** {@return whether that is the number of a rule, or a section that has one} */
  public static boolean knows(String rule) {
    return tests().anyMatch(method -> isOf(method.getAnnotation(Rule.class).value(), rule));
  }

  /**
   * Ends the run from another thread: the test that runs fails, and cleans up behind itself;
   * nothing more is tried, found or measured.
   */
  public void stop() {
    stopped = true;
    witness.stop();
    caller.interrupt();
  }

  /** {@return whether somebody ended it, so that what was found is not all} */
  public boolean stopped() {
    return stopped;
  }

  /** {@return what was seen of the store, a sentence each} */
  public List<String> seen() {
    List<String> out = new ArrayList<>(witness.sentences());
    out.addAll(soaked);
    if (left > 0) {
      out.add(leftBehind());
    }
    return out;
  }

  /** {@return whether anything is left behind, in words} */
  public String leftBehind() {
    return left == 0
        ? "what was stored is removed"
        : "%d namespaces are left behind: the backend could not remove them".formatted(left);
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
                .configurationParameter(
                    "junit.jupiter.tempdir.factory.default", VerifiedStore.Folders.class.getName())
                .build(),
            new Listener());
  }

  /** {@return how the rule of the soak is tried now} */
  Soak soak() {
    return soak;
  }

  /** {@return the folder for the stores of the tests} */
  Path stores() {
    return stores;
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
    if (stopped) {
      return; // it says nothing of the store
    }
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
