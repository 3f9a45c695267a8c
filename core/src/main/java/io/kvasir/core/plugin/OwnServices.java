package io.kvasir.core.plugin;

import io.kvasir.api.store.StoreProvider;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.ServiceLoader;
import java.util.Set;
import org.pf4j.ExtensionDescriptor;
import org.pf4j.ExtensionFactory;
import org.pf4j.ExtensionFinder;
import org.pf4j.ExtensionWrapper;
import org.pf4j.PluginWrapper;

/** Extensions are the services that a started plugin itself provides; no annotation, no PF4J. */
final class OwnServices implements ExtensionFinder {
  private final PluginHost host;

  OwnServices(PluginHost host) {
    this.host = host;
  }

  @Override
  public <T> List<ExtensionWrapper<T>> find(Class<T> type) {
    List<ExtensionWrapper<T>> out = new ArrayList<>();
    host.getStartedPlugins().forEach(p -> out.addAll(find(type, p.getPluginId())));
    return out;
  }

  @Override
  public <T> List<ExtensionWrapper<T>> find(Class<T> type, String pluginId) {
    PluginWrapper plugin = host.getPlugin(pluginId);
    if (plugin == null || !plugin.getPluginState().isStarted()) {
      return List.of();
    }
    List<ExtensionWrapper<T>> out = new ArrayList<>();
    host.code(pluginId).services(type).forEach(provider -> out.add(wrapper(provider)));
    return out;
  }

  @Override
  @SuppressWarnings("rawtypes") // PF4J's signature
  public List<ExtensionWrapper> find(String pluginId) {
    return new ArrayList<>(find(StoreProvider.class, pluginId));
  }

  @Override
  public Set<String> findClassNames(String pluginId) {
    Set<String> names = new LinkedHashSet<>();
    find(StoreProvider.class, pluginId)
        .forEach(w -> names.add(w.getDescriptor().extensionClass.getName()));
    return names;
  }

  private static <T> ExtensionWrapper<T> wrapper(ServiceLoader.Provider<T> provider) {
    ExtensionFactory factory =
        new ExtensionFactory() {
          @Override
          public <X> X create(Class<X> type) {
            return type.cast(provider.get());
          }
        };
    return new ExtensionWrapper<>(new ExtensionDescriptor(0, provider.type()), factory);
  }
}
