package io.kvasir.cli;

import io.kvasir.api.PluginStatus;
import io.kvasir.core.Deployment;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code kvasir plugins}. */
@Command(name = "plugins", description = "Lists the plugins, and why one failed.")
final class PluginsCommand implements Callable<Integer> {
  @Mixin private Common common;

  PluginsCommand() {}

  @Override
  public Integer call() {
    try (Deployment deployment = common.deployment()) {
      List<PluginStatus> plugins = deployment.plugins();
      List<List<String>> rows = new ArrayList<>();
      rows.add(List.of("PLUGIN", "VERSION", "STATE", "DETAIL"));
      plugins.forEach(p -> rows.add(List.of(p.id(), p.version(), state(p), p.detail())));
      common.output().table(rows);
      common.output().value(plugins.stream().map(PluginsCommand::json).toList());
      return plugins.stream().anyMatch(p -> p.state() == PluginStatus.State.FAILED)
          ? ExitCode.FAILED
          : ExitCode.OK;
    }
  }

  static Map<String, Object> json(PluginStatus plugin) {
    return new TreeMap<>(
        Map.of(
            "id", plugin.id(),
            "version", plugin.version(),
            "state", state(plugin),
            "detail", plugin.detail()));
  }

  private static String state(PluginStatus plugin) {
    return plugin.state().name().toLowerCase(Locale.ROOT);
  }
}
