package io.kvasir.core.plugin;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.pf4j.PluginDependency;
import org.pf4j.PluginWrapper;

/**
 * Finds what PF4J would drop without a word: plugins whose required dependencies are missing, of
 * the wrong version, disabled, or circular.
 */
final class Dependencies {
  private final PluginHost host;

  Dependencies(PluginHost host) {
    this.host = host;
  }

  /** Takes out every plugin that cannot have what it needs, and then those that need it. */
  void loseUnmet() {
    boolean again = true;
    while (again) {
      again = false;
      List<PluginWrapper> plugins = new ArrayList<>(host.getPlugins());
      plugins.sort(Comparator.comparing(PluginWrapper::getPluginId));
      for (PluginWrapper plugin : plugins) {
        Optional<String> reason = unmet(plugin);
        reason.ifPresent(why -> host.lose(plugin, why));
        again |= reason.isPresent();
      }
    }
  }

  private Optional<String> unmet(PluginWrapper plugin) {
    for (PluginDependency dependency : plugin.getDescriptor().getDependencies()) {
      if (!dependency.isOptional()) {
        Optional<String> reason = unmet(dependency);
        if (reason.isPresent()) {
          return reason;
        }
      }
    }
    List<String> circle = circle(plugin.getPluginId(), new ArrayList<>());
    return circle.isEmpty()
        ? Optional.empty()
        : Optional.of("needs itself: " + String.join(" needs ", circle));
  }

  private Optional<String> unmet(PluginDependency dependency) {
    String id = dependency.getPluginId();
    String wanted = dependency.getPluginVersionSupport();
    PluginWrapper other = host.getPlugin(id);
    if (host.leftOut().containsKey(id)) {
      return Optional.of("needs the plugin \"%s\", which is disabled".formatted(id));
    }
    if (other == null) {
      return Optional.of(
          host.lost().containsKey(id)
              ? failed(id)
              : "needs the plugin \"%s\" %s, which is not there"
                  .formatted(id, wanted)
                  .replace(" *,", ","));
    }
    String version = other.getDescriptor().getVersion();
    try {
      return host.getVersionManager().checkVersionConstraint(version, wanted)
          ? Optional.empty()
          : Optional.of(
              "needs the plugin \"%s\" %s, and %s is there".formatted(id, wanted, version));
    } catch (RuntimeException e) {
      return Optional.of(
          "plugin.properties: plugin.dependencies: \"%s@%s\" is not understood; write id@1.0.0"
              .formatted(id, wanted));
    }
  }

  static String failed(String id) {
    return "needs the plugin \"%s\", which has failed".formatted(id);
  }

  /** {@return the way from a plugin over required dependencies back to it, or nothing} */
  private List<String> circle(String id, List<String> way) {
    if (!way.isEmpty() && id.equals(way.getFirst())) {
      List<String> closed = new ArrayList<>(way);
      closed.add(id);
      return closed;
    }
    PluginWrapper plugin = host.getPlugin(id);
    if (plugin == null || way.contains(id)) {
      return List.of();
    }
    way.add(id);
    for (PluginDependency dependency : plugin.getDescriptor().getDependencies()) {
      List<String> found =
          dependency.isOptional() ? List.of() : circle(dependency.getPluginId(), way);
      if (!found.isEmpty()) {
        return found;
      }
    }
    way.removeLast();
    return List.of();
  }
}
