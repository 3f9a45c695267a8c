package io.kvasir.cli;

import io.kvasir.api.KvasirException;
import io.kvasir.api.PluginStatus;
import io.kvasir.api.identity.CanonicalJson;
import io.kvasir.api.store.StoreException;
import io.kvasir.api.store.StoreHealth;
import io.kvasir.api.store.StoreUsage;
import io.kvasir.api.store.StoreView;
import io.kvasir.core.Deployment;
import io.kvasir.core.Identified;
import io.kvasir.core.OpenStore;
import io.kvasir.core.Rehearsal;
import io.kvasir.core.Version;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code kvasir doctor}. */
@Command(
    name = "doctor",
    description = {
      "Looks at the JVM, the configuration, the plugins, the directories and the store, and at what"
          + " connecting an engine would come to. Takes no lock and changes nothing."
    })
final class DoctorCommand implements Callable<Integer> {
  @Mixin private Common common;
  @Mixin private EngineOptions engine;

  DoctorCommand() {}

  @Override
  public Integer call() {
    List<Check> checks = new ArrayList<>();
    checks.add(
        Check.ok(
            "java",
            "%s, %s (%s)"
                .formatted(
                    Runtime.version(),
                    System.getProperty("java.vendor"),
                    System.getProperty("java.home"))));
    checks.add(Check.ok("kvasir", Version.current()));
    try (Deployment deployment = common.deployment()) {
      Check configuration = tenant(deployment);
      checks.add(configuration);
      deployment.plugins().forEach(plugin -> checks.add(plugin(plugin)));
      checks.addAll(DirectoryCheck.of(deployment.storePaths()));
      if (configuration.state() == Check.State.OK) {
        checks.add(store(deployment));
        identity(new Rehearsal(deployment), checks);
      }
    } catch (KvasirException e) {
      checks.add(Check.failed("configuration", e.getMessage()));
    }
    List<List<String>> rows = new ArrayList<>();
    checks.forEach(check -> rows.add(List.of(check.word(), check.name(), check.detail())));
    common.output().table(rows);
    boolean sound = checks.stream().noneMatch(c -> c.state() == Check.State.FAILED);
    common
        .output()
        .value(Map.of("sound", sound, "checks", checks.stream().map(Check::json).toList()));
    return sound ? ExitCode.OK : ExitCode.FAILED;
  }

  private static Check tenant(Deployment deployment) {
    try {
      return Check.ok(
          "configuration",
          "%s: tenant %s".formatted(deployment.settings().file(), deployment.settings().owner()));
    } catch (KvasirException e) {
      return Check.failed("configuration", e.getMessage());
    }
  }

  private static Check plugin(PluginStatus plugin) {
    String name = "plugin " + plugin.id();
    return switch (plugin.state()) {
      case STARTED -> Check.ok(name, plugin.version());
      case DISABLED -> Check.ok(name, plugin.detail());
      case FAILED -> Check.failed(name, plugin.detail());
    };
  }

  /**
   * Connects the engine that is named, or the one that the configuration declares, without a store.
   */
  private void identity(Rehearsal rehearsal, List<Check> checks) {
    if (engine.given()) {
      checks.add(
          Check.of(
              "engine",
              () -> {
                Identified identified = rehearsal.connect(engine.spec(common));
                return "namespace %s, policy %s"
                    .formatted(
                        identified.namespace().id().prefix(), identified.policy().policy().name());
              }));
      return;
    }
    checks.add(Check.of("identity", () -> "policy " + rehearsal.policy()));
    checks.add(
        Check.of(
            "weights",
            () ->
                rehearsal
                    .weights()
                    .map(w -> CanonicalJson.text(w.json()))
                    .orElse("named by the engine or its model's files")));
    boolean sound = checks.reversed().stream().limit(2).allMatch(c -> c.state() == Check.State.OK);
    if (sound) {
      checks.add(
          Check.of(
              "format",
              () ->
                  rehearsal
                      .declared()
                      .map(rehearsal::connect)
                      .map(i -> "%d groups of layers".formatted(i.deployment().groups()))
                      .orElse("the engine's; name it with --engine to have it looked at")));
    }
  }

  private static Check store(Deployment deployment) {
    String name = "store " + deployment.settings().store().name();
    try {
      OpenStore<StoreView> open = deployment.view();
      String usage = usage(open);
      StoreHealth health = open.store().health();
      return switch (health.state()) {
        case UP -> Check.ok(name, health.detail() + usage);
        case DEGRADED -> Check.warning(name, health.detail() + usage);
        case DOWN -> Check.failed(name, health.detail());
      };
    } catch (KvasirException | StoreException e) {
      return Check.failed(name, e.getMessage());
    }
  }

  private static String usage(OpenStore<StoreView> open) throws StoreException {
    if (!open.descriptor().capabilities().usage()) {
      return "";
    }
    StoreUsage usage = open.store().usage();
    return "; %d blocks, %s of %s occupied"
        .formatted(
            usage.blocks(),
            Quantities.bytes(usage.occupiedBytes()),
            Quantities.bytes(usage.capacityBytes()));
  }
}
