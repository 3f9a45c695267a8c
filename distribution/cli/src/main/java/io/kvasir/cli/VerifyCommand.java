package io.kvasir.cli;

import io.kvasir.api.PluginStatus;
import io.kvasir.cli.verify.Finding;
import io.kvasir.cli.verify.Finding.Outcome;
import io.kvasir.cli.verify.Reports;
import io.kvasir.cli.verify.Verification;
import io.kvasir.conformance.Seed;
import io.kvasir.core.Deployment;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
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
      description = "Try this rule alone, or those that begin so, such as R-ATOM; may be repeated.")
  private List<String> rules = List.of();

  VerifyCommand() {}

  @Override
  public Integer call() throws Exception {
    if (!Files.exists(plugin)) {
      throw common.wrong(plugin + ": there is no such plugin; give its zip or its folder");
    }
    long chance = seed == null ? ThreadLocalRandom.current().nextLong(1L << 32) : seed;
    System.setProperty(Seed.PROPERTY, Long.toString(chance));
    Path folder = Files.createTempDirectory("kvasir-verify-");
    Thread atExit = new Thread(() -> delete(folder));
    Runtime.getRuntime().addShutdownHook(atExit); // also when somebody interrupts it
    try {
      copy(plugin, folder.resolve(plugin.toRealPath().getFileName().toString()));
      try (Deployment deployment = Deployment.of(common.config(), folder)) {
        return verify(deployment, chance);
      }
    } finally {
      delete(folder);
      Runtime.getRuntime().removeShutdownHook(atExit);
    }
  }

  private int verify(Deployment deployment, long chance) throws IOException {
    Output output = common.output();
    for (PluginStatus status : deployment.plugins()) {
      if (status.state() != PluginStatus.State.STARTED) {
        return output.error(plugin + ": does not start: " + status.detail(), ExitCode.FAILED);
      }
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
            finding -> progress(output, finding));
    output.line(
        "%s, stores of %s, seed %d"
            .formatted(deployment.settings().store().name(), verification.room(), chance));
    List<Finding> findings = verification.run(rules);
    Reports reports =
        new Reports(deployment.settings().store().name(), findings, verification.seen());
    output.line("");
    reports.seen().forEach(output::line);
    if (report != null) {
      Files.createDirectories(report);
      reports.xml(report);
      reports.html(report);
      output.line("reports: " + report);
    }
    output.line(reports.summary());
    List<Finding> broken = reports.of(Outcome.BROKEN);
    for (Finding finding : broken) {
      output.line("broken: %s: %s".formatted(finding.rule(), finding.sentence()));
    }
    output.value(json(reports, chance));
    return broken.isEmpty() && !findings.isEmpty() ? ExitCode.OK : ExitCode.FAILED;
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

  private static Map<String, Object> json(Reports reports, long chance) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("store", reports.title());
    json.put("seed", chance);
    json.put(
        "rules",
        reports.findings().stream()
            .map(
                f -> {
                  Map<String, Object> rule = new LinkedHashMap<>();
                  rule.put("rule", f.rule());
                  rule.put("outcome", f.outcome().toString().toLowerCase(Locale.ROOT));
                  rule.put("detail", f.detail());
                  return rule;
                })
            .toList());
    json.put("seen", reports.seen());
    return json;
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Files.copy(file, file.equals(from) ? to : to.resolve(from.relativize(file).toString()));
      }
    }
  }

  private static void delete(Path folder) {
    if (!Files.exists(folder)) {
      return;
    }
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
