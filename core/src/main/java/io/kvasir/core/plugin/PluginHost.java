package io.kvasir.core.plugin;

import io.kvasir.api.KvasirException;
import io.kvasir.api.format.FormatResolver;
import io.kvasir.api.identity.IdentityPolicy;
import io.kvasir.api.store.StoreProvider;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.Set;
import org.pf4j.DefaultPluginManager;
import org.pf4j.ExtensionFinder;
import org.pf4j.Plugin;
import org.pf4j.PluginDependency;
import org.pf4j.PluginDescriptor;
import org.pf4j.PluginDescriptorFinder;
import org.pf4j.PluginFactory;
import org.pf4j.PluginLoader;
import org.pf4j.PluginRepository;
import org.pf4j.PluginState;
import org.pf4j.PluginStatusProvider;
import org.pf4j.PluginWrapper;

/**
 * PF4J's life cycle with our own code loading. Not thread-safe, as PF4J is not: {@link Plugins}
 * holds the lock.
 *
 * <p>The code of a plugin is defined when it starts: PF4J loads in folder order and starts in
 * dependency order.
 */
final class PluginHost extends DefaultPluginManager {
  /**
   * A plugin that PF4J does not keep.
   *
   * @param version its version, if its properties could be read
   * @param reason why it cannot start
   */
  record Lost(String version, String reason) {}

  private static final List<Class<?>> SERVICES =
      List.of(StoreProvider.class, FormatResolver.class, IdentityPolicy.class);

  private final Set<String> disabled;
  private final Map<String, Lost> lost = new LinkedHashMap<>();
  private final Map<String, String> leftOut = new LinkedHashMap<>();
  private final Set<String> starting = new HashSet<>();

  PluginHost(List<Path> roots, Set<String> disabled, String apiVersion) {
    super(roots);
    this.disabled = disabled;
    setSystemVersion(apiVersion);
    setResolveRecoveryStrategy(ResolveRecoveryStrategy.IGNORE_PLUGIN_AND_CONTINUE);
  }

  /** {@return plugins that could not be loaded, by id, or by file name where there is no id} */
  Map<String, Lost> lost() {
    return lost;
  }

  /** {@return the versions of plugins that the configuration disables, by id} */
  Map<String, String> leftOut() {
    return leftOut;
  }

  PluginCode code(String id) {
    return (PluginCode) getPluginClassLoader(id);
  }

  @Override
  protected PluginRepository createPluginRepository() {
    return new PluginFolders(getPluginsRoots());
  }

  @Override
  protected PluginDescriptorFinder createPluginDescriptorFinder() {
    return new PluginProperties();
  }

  @Override
  protected PluginLoader createPluginLoader() {
    return new PluginLoader() {
      @Override
      public boolean isApplicable(Path path) {
        return true;
      }

      @Override
      public ClassLoader loadPlugin(Path path, PluginDescriptor descriptor) {
        return new PluginCode(descriptor.getPluginId(), path);
      }
    };
  }

  @Override
  protected PluginFactory createPluginFactory() {
    return LayerPlugin::new;
  }

  @Override
  protected ExtensionFinder createExtensionFinder() {
    return new OwnServices(this);
  }

  /** The configuration says what is disabled, and no file beside the plugins. */
  @Override
  protected PluginStatusProvider createPluginStatusProvider() {
    return new PluginStatusProvider() {
      @Override
      public boolean isPluginDisabled(String id) {
        return false; // a disabled one never gets this far
      }

      @Override
      public void disablePlugin(String id) {}

      @Override
      public void enablePlugin(String id) {}
    };
  }

  @Override
  protected boolean isPluginValid(PluginWrapper plugin) {
    String requires = plugin.getDescriptor().getRequires().strip();
    boolean satisfied;
    try {
      satisfied = getVersionManager().checkVersionConstraint(getSystemVersion(), requires);
    } catch (RuntimeException e) {
      throw new KvasirException(
          "plugin.properties: plugin.requires \"%s\" is not understood; write a range such as"
                  .formatted(requires)
              + " >=0.1.0 & <0.2.0",
          e);
    }
    if (!satisfied) {
      throw new KvasirException(
          "needs the Kvasir API %s, and this is %s".formatted(requires, getSystemVersion()));
    }
    return true;
  }

  /** PF4J logs what it cannot load; here it is kept with its reason. */
  @Override
  public void loadPlugins() {
    PluginFolders folders = (PluginFolders) pluginRepository;
    Map<String, Path> found = new LinkedHashMap<>();
    for (Path path : folders.getPluginPaths()) {
      String name = path.getFileName().toString();
      String version = "";
      try {
        Path folder = folders.folder(path);
        PluginDescriptor descriptor = getPluginDescriptorFinder().find(folder);
        name = descriptor.getPluginId();
        version = descriptor.getVersion();
        if (disabled.contains(name)) {
          // not PF4J's business: it would drop one that lacks a dependency, without a word
          leftOut.put(name, version);
          continue;
        }
        Path first = found.putIfAbsent(name, path);
        if (first != null) {
          unload(name); // which of the two is meant, nobody can say
          throw new KvasirException(
              "two plugins have this id, %s and %s; remove one"
                  .formatted(first.getFileName(), path.getFileName()));
        }
        loadPluginFromPath(folder);
      } catch (RuntimeException e) {
        lost.put(name, new Lost(version, reason(e)));
      }
    }
    new Dependencies(this).loseUnmet();
    resolvePlugins();
  }

  /** Takes a plugin out that cannot start. */
  void lose(PluginWrapper plugin, String reason) {
    lost.put(plugin.getPluginId(), new Lost(plugin.getDescriptor().getVersion(), reason));
    unload(plugin.getPluginId());
  }

  private void unload(String id) {
    unloadPlugin(id, false, false);
  }

  /** PF4J leaves optional dependencies out of its order, and {@link #startPlugin} does not. */
  @Override
  public void startPlugins() {
    List<PluginWrapper> plugins = new ArrayList<>(getResolvedPlugins());
    plugins.sort(Comparator.comparing(PluginWrapper::getPluginId));
    plugins.forEach(plugin -> startPlugin(plugin.getPluginId()));
  }

  /**
   * Starts a plugin after those that it depends on. A failed one is not tried again, and one that
   * needs a plugin that is just starting waits: it is the optional dependency in a circle.
   */
  @Override
  public PluginState startPlugin(String id) {
    PluginWrapper plugin = getPlugin(id);
    PluginState state = plugin.getPluginState();
    if (state.isFailed() || starting.contains(id) || mustWait(plugin)) {
      return state;
    }
    starting.add(id);
    try {
      state = super.startPlugin(id);
    } finally {
      starting.remove(id);
    }
    if (state.isFailed()) {
      nameFailedDependency(plugin);
    }
    return state;
  }

  private void nameFailedDependency(PluginWrapper plugin) {
    for (PluginDependency dependency : plugin.getDescriptor().getDependencies()) {
      String id = dependency.getPluginId();
      if (!dependency.isOptional() && getPlugin(id).getPluginState().isFailed()) {
        plugin.setFailedException(new KvasirException(Dependencies.failed(id)));
      }
    }
  }

  private boolean mustWait(PluginWrapper plugin) {
    for (PluginDependency dependency : plugin.getDescriptor().getDependencies()) {
      String id = dependency.getPluginId();
      if (!dependency.isOptional() && (starting.contains(id) || mustWait(getPlugin(id)))) {
        return true;
      }
    }
    return false;
  }

  /** PF4J 3.15.0 removes from the list that it walks (pf4j#656). */
  @Override
  public void stopPlugins() {
    for (PluginWrapper plugin : List.copyOf(getStartedPlugins()).reversed()) {
      stopPlugin(plugin.getPluginId());
    }
  }

  @Override
  public void unloadPlugins() {
    super.unloadPlugins();
    ((PluginFolders) pluginRepository).deleteUnpacked();
  }

  /** {@return one line that says why} */
  static String reason(Throwable failure) {
    String message = failure.getMessage();
    boolean says = message != null && message.contains(" ");
    return failure instanceof KvasirException || says
        ? message.lines().findFirst().orElse(message)
        : failure.toString();
  }

  /** What PF4J starts for us. */
  private final class LayerPlugin extends Plugin {
    private final PluginWrapper plugin;

    LayerPlugin(PluginWrapper plugin) {
      this.plugin = plugin;
    }

    @Override
    public void start() {
      PluginProperties.Descriptor descriptor = (PluginProperties.Descriptor) plugin.getDescriptor();
      List<PluginCode> dependencies = new ArrayList<>();
      for (PluginDependency dependency : descriptor.getDependencies()) {
        PluginWrapper other = getPlugin(dependency.getPluginId());
        if (other != null && other.getPluginState().isStarted()) {
          dependencies.add(code(other.getPluginId()));
        }
      }
      PluginCode code = code(plugin.getPluginId());
      code.define(dependencies, descriptor.nativeAccess());
      try {
        SERVICES.forEach(code::services);
      } catch (ServiceConfigurationError e) {
        throw new KvasirException(e.getMessage() + ": " + e.getCause(), e);
      }
    }
  }
}
