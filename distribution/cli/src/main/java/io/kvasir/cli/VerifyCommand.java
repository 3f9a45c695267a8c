package io.kvasir.cli;

import io.kvasir.api.PluginStatus;
import io.kvasir.api.store.StoreProvider;
import io.kvasir.cli.verify.Finding;
import io.kvasir.cli.verify.Finding.Outcome;
import io.kvasir.cli.verify.Reports;
import io.kvasir.cli.verify.Verification;
import io.kvasir.conformance.Seed;
import io.kvasir.conformance.speed.SpeedReport;
import io.kvasir.core.Deployment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code kvasir verify}. */
@Command(
    name = "verify",
    description =
        "Tries a backend against every rule of the kit, in stores of their own that are removed"
            + " afterwards.")
final class VerifyCommand implements Callable<Integer> {
  /** What a line shows of what went wrong; the reports have all of it. */
  private static final int WIDTH = 600;

  @Mixin private Common common;

  @Parameters(paramLabel = "PLUGIN", description = "The plugin: its zip, or its folder.")
  private Path plugin;

  @Option(
      names = "--report",
      paramLabel = "DIRECTORY",
      description = "Write JUnit's XML and an HTML report there.")
  private Path report;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "Repeat the chance of an earlier run, which printed it.")
  private Long seed;

  @Option(
      names = "--rule",
      paramLabel = "RULE",
      description = "Try this rule alone, or a section's, such as R-ATOM; may be repeated.")
  private List<String> rules = List.of();

  @Option(
      names = "--with",
      paramLabel = "PLUGIN",
      description =
          "Another plugin that this one needs or may use: its zip, or its folder; may be repeated.")
  private List<Path> others = List.of();

  @Option(
      names = "--soak",
      paramLabel = "MINUTES",
      description = "At the end, everything at once for so many minutes, such as 60 or 0.5.")
  private double soak;

  @Option(
      names = "--speed",
      description =
          "Measure the store's speed also where --rule is given; without one it is measured"
              + " anyway.")
  private boolean speed;

  /** In which an interrupted test ends and is cleaned up behind. */
  private static final long ENDING = 15;

  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile Verification running;

  VerifyCommand() {}

  @Override
  public Integer call() throws Exception {
    Set<Path> names = new HashSet<>();
    for (Path one : plugins()) {
      if (!Files.exists(one)) {
        throw common.wrong(one + ": there is no such plugin; give its zip or its folder");
      }
      if (!names.add(one.toRealPath().getFileName())) {
        throw common.wrong(one + ": two plugins have this name; rename one of them");
      }
    }
    if (soak < 0) {
      throw common.wrong("--soak: %s: write a number of minutes".formatted(soak));
    }
    for (String rule : rules) {
      if (!Verification.knows(rule)) {
        throw common.wrong(
            "--rule: %s: there is no such rule of stores; write one as R-ATOM-1, or a section's as R-ATOM"
                .formatted(rule));
      }
    }
    if (report != null) {
      try {
        Files.createDirectories(report);
      } catch (IOException e) {
        throw common.wrong("--report: %s: no folder can be made there: %s".formatted(report, e));
      }
    }
    long chance = seed == null ? ThreadLocalRandom.current().nextLong(1L << 32) : seed;
    System.setProperty(Seed.PROPERTY, Long.toString(chance));
    try (Scratch scratch = Scratch.ofSystem("kvasir-verify-", this::interrupted)) {
      Path plugins = Files.createDirectory(scratch.folder().resolve("plugins"));
      for (Path one : plugins()) {
        copy(one, plugins);
      }
      Path stores = Files.createDirectory(scratch.folder().resolve("stores"));
      try (Deployment deployment = Deployment.of(common.config(), plugins)) {
        return verify(deployment, stores, chance);
      }
    } finally {
      ended.countDown();
    }
  }

  /** Lets the test that runs clean up behind itself: a store need not be in a folder. */
  private void interrupted() {
    Verification verification = running;
    if (verification == null) {
      return;
    }
    verification.stop();
    try {
      if (!ended.await(ENDING, TimeUnit.SECONDS)) {
        common.output().err().println("kvasir: a call does not end; what it stored may be left");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private List<Path> plugins() {
    return Stream.concat(Stream.of(plugin), others.stream()).toList();
  }

  private int verify(Deployment deployment, Path stores, long chance) throws IOException {
    Output output = common.output();
    for (PluginStatus status : deployment.plugins()) {
      if (status.state() != PluginStatus.State.STARTED) {
        return output.error(plugin + ": " + unusable(status), ExitCode.FAILED);
      }
    }
    if (!brings(deployment.provider())) {
      throw common.wrong(
          "%s: the store \"%s\" is another plugin's; name the plugin first that is to be verified"
              .formatted(plugin, deployment.settings().store().name()));
    }
    Map<String, Object> said = new LinkedHashMap<>();
    if (deployment.settings().store().configuration().json() instanceof Map<?, ?> json) {
      json.forEach((key, value) -> said.put(key.toString(), value));
    }
    Verification verification =
        new Verification(
            deployment.provider(),
            said,
            deployment::storeConfiguration,
            stores,
            finding -> progress(output, finding),
            line -> progress(output, line));
    running = verification;
    output.line(
        "%s, stores of %s, seed %d"
            .formatted(deployment.settings().store().name(), verification.room(), chance));
    List<Finding> findings = new ArrayList<>(verification.run(rules, soak > 0));
    if (soak > 0) {
      findings.addAll(verification.soak(Duration.ofMillis(Math.round(soak * 60_000))));
    }
    Optional<SpeedReport> measured =
        speed || rules.isEmpty() ? speed(deployment, verification) : Optional.empty();
    if (verification.stopped()) {
      return output.error("interrupted: " + verification.leftBehind(), ExitCode.FAILED);
    }
    Reports reports =
        new Reports(
            deployment.settings().store().name(), chance, findings, verification.seen(), measured);
    output.line("");
    reports.seen().forEach(output::line);
    measured.ifPresent(report -> report.sentences().forEach(output::line));
    if (report != null) {
      reports.xml(report);
      reports.html(report);
      output.line("reports: " + report);
    }
    output.line(reports.summary());
    List<Finding> broken = reports.of(Outcome.BROKEN);
    for (Finding finding : broken) {
      output.line("broken: %s: %s".formatted(finding.rule(), finding.sentence()));
    }
    output.value(json(reports));
    return broken.isEmpty() && !findings.isEmpty() ? ExitCode.OK : ExitCode.FAILED;
  }

  /** {@return whether a store is of the plugin that is verified, and not of one beside it} */
  private boolean brings(StoreProvider provider) throws IOException {
    CodeSource source = provider.getClass().getProtectionDomain().getCodeSource();
    String folder = plugin.toRealPath().getFileName().toString().replaceFirst("(?i)[.]zip$", "");
    return source == null || source.getLocation().getPath().contains("/" + folder + "/");
  }

  /** {@return why a plugin does not start, and what to do} */
  private static String unusable(PluginStatus status) {
    String wayOut =
        status.detail().startsWith("needs the plugin") && status.detail().endsWith("is not there")
            ? "; give it too: --with PLUGIN"
            : "";
    return "the plugin %s does not start: %s%s".formatted(status.id(), status.detail(), wayOut);
  }

  /** Beside the operator's own store, if that has a directory: speed is that of a disk. */
  private Optional<SpeedReport> speed(Deployment deployment, Verification verification)
      throws IOException {
    Path own = deployment.storePaths().get("directory");
    try (Scratch scratch =
        own == null
            ? Scratch.ofSystem("kvasir-verify-", this::interrupted)
            : Scratch.near(own.toAbsolutePath().getParent(), "kvasir-verify-", this::interrupted)) {
      return verification.speed(scratch.folder());
    }
  }

  private static void progress(Output output, String line) {
    output.line("        " + line);
    output.out().flush();
  }

  private static void progress(Output output, Finding finding) {
    if (finding.notTried()) {
      return; // the summary counts them
    }
    output.line(
        String.format(
            Locale.ROOT,
            "%-7s %s: %s (%.1f s)%s",
            finding.outcome() == Outcome.BROKEN
                ? "BROKEN"
                : finding.outcome().toString().toLowerCase(Locale.ROOT),
            finding.rule(),
            finding.sentence(),
            finding.took().toNanos() / 1e9,
            finding.detail().isEmpty() ? "" : "\n        " + shortened(finding.detail())));
    output.out().flush();
  }

  private static String shortened(String detail) {
    return detail.length() <= WIDTH ? detail : detail.substring(0, WIDTH) + "…";
  }

  private static Map<String, Object> json(Reports reports) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("store", reports.title());
    json.put("seed", reports.seed());
    json.put(
        "rules",
        reports.findings().stream()
            .map(
                f -> {
                  Map<String, Object> rule = new LinkedHashMap<>();
                  rule.put("rule", f.rule());
                  rule.put("sentence", f.sentence());
                  rule.put("outcome", f.outcome().toString().toLowerCase(Locale.ROOT));
                  rule.put("detail", f.detail());
                  rule.put("seconds", f.took().toMillis() / 1e3);
                  return rule;
                })
            .toList());
    json.put("seen", reports.seen());
    reports
        .speed()
        .ifPresent(
            report -> {
              Map<String, Object> speed = new LinkedHashMap<>();
              report.lines().forEach(line -> speed.put(line.key(), json(line)));
              if (!report.trouble().isEmpty()) {
                speed.put("trouble", report.trouble());
              }
              json.put("speed", speed);
            });
    return json;
  }

  private static Map<String, Object> json(SpeedReport.Line line) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("ratio", line.ratio().value());
    json.put("ratio_low", line.ratio().low());
    json.put("ratio_high", line.ratio().high());
    json.put("of", line.against());
    json.put("speed", line.speed());
    json.put("note", line.note());
    return json;
  }

  private static void copy(Path from, Path folder) throws IOException {
    Path to = folder.resolve(from.toRealPath().getFileName().toString());
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Files.copy(file, file.equals(from) ? to : to.resolve(from.relativize(file).toString()));
      }
    }
  }
}
