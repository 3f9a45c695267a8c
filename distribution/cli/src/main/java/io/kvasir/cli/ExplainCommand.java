package io.kvasir.cli;

import io.kvasir.api.store.NamespaceSummary;
import io.kvasir.core.Deployment;
import io.kvasir.core.identity.Differences;
import io.kvasir.core.identity.Explain;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code kvasir identity explain}. */
@Command(
    name = "explain",
    description = {
      "Lists the fields in which two namespaces differ: two of the store, one of the store and the"
          + " engine's, or the engine's and the nearest of the store."
    })
final class ExplainCommand implements Callable<Integer> {
  @Mixin private Common common;
  @Mixin private EngineOptions engine;

  @Option(names = "--nearest", description = "Compare the engine's with the nearest of the store.")
  private boolean nearest;

  @Parameters(
      arity = "0..2",
      paramLabel = "NAMESPACE",
      description = "Hexadecimal digits of a namespace in the store, 8 or more.")
  private List<String> names = List.of();

  ExplainCommand() {}

  @Override
  public Integer call() {
    int wanted = nearest ? 0 : engine.given() ? 1 : 2;
    if (names.size() != wanted) {
      throw common.wrong(
          "give two namespaces, or one and --engine NAME, or --nearest and --engine NAME");
    }
    try (Deployment deployment = common.deployment()) {
      List<NamespaceSummary> stored = deployment.view().namespaces();
      if (nearest) {
        return nearest(deployment, stored);
      }
      Explain.Side[] sides = new Explain.Side[2];
      int next = 0;
      if (engine.given()) {
        sides[next++] = Explain.Side.of(deployment.identify(engine.spec(common)).namespace());
      }
      for (String name : names) {
        NamespaceSummary found = Namespaces.named(name, stored);
        if (found == null) {
          return common.output().error("the store has no namespace " + name, ExitCode.FAILED);
        }
        sides[next++] = Explain.Side.of(found);
      }
      Differences differences = Explain.between(sides[0], sides[1]);
      common.output().value(differences.json());
      common.output().line(differences.text().stripTrailing());
      return ExitCode.OK;
    }
  }

  private int nearest(Deployment deployment, List<NamespaceSummary> stored) {
    Optional<Explain.Nearest> found =
        Explain.nearest(deployment.identify(engine.spec(common)).namespace(), stored);
    if (found.isEmpty()) {
      common.output().value(Map.of());
      common.output().line("the store holds no other namespace");
      return ExitCode.FAILED;
    }
    common.output().value(found.get().json());
    common.output().line(found.get().text().stripTrailing());
    return ExitCode.OK;
  }
}
