package io.kvasir.core.plugin;

import static java.lang.System.Logger.Level.INFO;
import static java.lang.System.Logger.Level.WARNING;

import io.kvasir.api.PluginStatus;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.pf4j.PluginState;
import org.pf4j.PluginWrapper;

/** The plugins of one runtime: found, checked and started together, closed together. */
public final class Plugins implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(Plugins.class.getName());

  private final Object lock = new Object();
  private final Optional<PluginHost> host;
  private final List<PluginStatus> statuses;
  private boolean closed;

  private Plugins(Optional<PluginHost> host) {
    this.host = host;
    this.statuses = host.map(Plugins::statuses).orElse(List.of());
  }

  /** {@return no plugins at all: a runtime whose stores lie on the application's path} */
  public static Plugins none() {
    return new Plugins(Optional.empty());
  }

  /**
   * Starts every plugin in a directory that can start; one that cannot is reported, and the others
   * go on.
   *
   * @param directory holds a folder or a zip for each plugin
   * @param disabled ids of plugins to leave out
   * @param apiVersion the version that {@code plugin.requires} is compared with
   */
  public static Plugins start(Path directory, Set<String> disabled, String apiVersion) {
    PluginHost host = new PluginHost(List.of(directory), disabled, apiVersion);
    host.loadPlugins();
    host.startPlugins();
    Plugins plugins = new Plugins(Optional.of(host));
    for (PluginStatus status : plugins.statuses) {
      LOG.log(
          status.state() == PluginStatus.State.FAILED ? WARNING : INFO,
          () ->
              "plugin %s %s: %s%s"
                  .formatted(
                      status.id(),
                      status.version(),
                      status.state(),
                      status.detail().isEmpty() ? "" : ": " + status.detail()));
    }
    for (String id : disabled) {
      if (plugins.statuses.stream().noneMatch(s -> s.id().equals(id))) {
        LOG.log(
            WARNING, () -> "plugin %s is disabled, and there is none with this id".formatted(id));
      }
    }
    return plugins;
  }

  /** {@return every plugin that was found, by id} */
  public List<PluginStatus> statuses() {
    return statuses;
  }

  /** {@return an instance of every provider that the started plugins bring, by id of the plugin} */
  public <T> List<T> services(Class<T> type) {
    synchronized (lock) {
      if (closed || host.isEmpty()) {
        return List.of();
      }
      List<T> out = new ArrayList<>();
      host.get().getStartedPlugins().stream()
          .map(PluginWrapper::getPluginId)
          .sorted()
          .forEach(id -> out.addAll(host.get().getExtensions(type, id)));
      return out;
    }
  }

  /** Opens the package of a class to the core, if the class is a plugin's. */
  public void openToCore(Class<?> type) {
    if (type.getClassLoader() instanceof PluginCode code) {
      code.openToCore(type);
    }
  }

  /** Stops the plugins and closes their jars. Repeating does nothing. */
  @Override
  public void close() {
    synchronized (lock) {
      if (!closed) {
        closed = true;
        host.ifPresent(
            h -> {
              h.stopPlugins();
              h.unloadPlugins();
            });
      }
    }
  }

  private static List<PluginStatus> statuses(PluginHost host) {
    List<PluginStatus> out = new ArrayList<>();
    for (PluginWrapper plugin : host.getPlugins()) {
      PluginState state = plugin.getPluginState();
      out.add(
          new PluginStatus(
              plugin.getPluginId(),
              plugin.getDescriptor().getVersion(),
              state.isStarted() ? PluginStatus.State.STARTED : PluginStatus.State.FAILED,
              detail(plugin)));
    }
    host.leftOut()
        .forEach(
            (id, version) ->
                out.add(
                    new PluginStatus(
                        id,
                        version,
                        PluginStatus.State.DISABLED,
                        "the configuration leaves it out")));
    host.lost()
        .forEach(
            (id, lost) ->
                out.add(
                    new PluginStatus(
                        id, lost.version(), PluginStatus.State.FAILED, lost.reason())));
    out.sort(Comparator.comparing(PluginStatus::id));
    return List.copyOf(out);
  }

  private static String detail(PluginWrapper plugin) {
    return plugin.getFailedException() == null
        ? ""
        : PluginHost.reason(plugin.getFailedException());
  }
}
