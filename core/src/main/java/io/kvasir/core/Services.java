package io.kvasir.core;

import static java.lang.System.Logger.Level.WARNING;

import io.kvasir.core.plugin.Plugins;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;

/**
 * Finds providers of an SPI in the plugins, in the core, and in the application: in the
 * distribution the core and the API lie in different layers, embedded the engine's own providers
 * lie beside them.
 */
final class Services {
  private static final System.Logger LOG = System.getLogger(Services.class.getName());

  private final Plugins plugins;

  Services(Plugins plugins) {
    this.plugins = plugins;
  }

  /** {@return an instance of each provider, the plugins' first} */
  <T> List<T> all(Class<T> type) {
    Services.class.getModule().addUses(type);
    Map<Class<?>, T> found = new LinkedHashMap<>();
    plugins.services(type).forEach(service -> found.putIfAbsent(service.getClass(), service));
    ModuleLayer layer = Services.class.getModule().getLayer();
    if (layer != null) {
      add(ServiceLoader.load(layer, type), found);
    }
    add(ServiceLoader.load(type, Services.class.getClassLoader()), found);
    add(ServiceLoader.load(type, Thread.currentThread().getContextClassLoader()), found);
    return new ArrayList<>(found.values());
  }

  private static <T> void add(ServiceLoader<T> loader, Map<Class<?>, T> found) {
    Iterator<ServiceLoader.Provider<T>> providers = loader.stream().iterator();
    while (true) {
      try {
        if (!providers.hasNext()) {
          return;
        }
        ServiceLoader.Provider<T> provider = providers.next();
        if (!found.containsKey(provider.type())) {
          T service = provider.get();
          found.putIfAbsent(service.getClass(), service);
        }
      } catch (ServiceConfigurationError e) {
        LOG.log(WARNING, () -> "a provider on the application's path is left out: " + e, e);
      }
    }
  }
}
