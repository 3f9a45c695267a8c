package io.kvasir.core.plugin;

import io.kvasir.api.store.StoreProvider;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Collectors;

/** What the host has, and the part of it that a plugin may see: the JDK and the API. */
final class HostModules {
  static final String API = "io.kvasir.api";

  /** The exported packages of the API; on a class path there is no descriptor to ask. */
  static final Set<String> API_PACKAGES =
      Set.of(
          "io.kvasir.api", "io.kvasir.api.format", "io.kvasir.api.identity", "io.kvasir.api.store");

  /** What the thin boot layer holds beside the JDK and the API. */
  private static final String LAUNCHER = "io.kvasir.launcher";

  /** All packages of the JDK's resolved modules, whichever of its loaders has them. */
  static final Set<String> JDK_PACKAGES =
      ModuleLayer.boot().modules().stream()
          .filter(m -> isJdk(m.getName()))
          .flatMap(m -> m.getPackages().stream())
          .collect(Collectors.toUnmodifiableSet());

  private HostModules() {}

  static boolean isJdk(String module) {
    return module.startsWith("java.") || module.startsWith("jdk.");
  }

  static boolean isResolvedJdk(String module) {
    return isJdk(module) && ModuleLayer.boot().findModule(module).isPresent();
  }

  /** {@return the layer of the API, or null where the application has it on its class path} */
  static ModuleLayer apiLayer() {
    return StoreProvider.class.getModule().getLayer();
  }

  static ClassLoader apiLoader() {
    return StoreProvider.class.getClassLoader();
  }

  /**
   * {@return whether the API's layer holds an application: an automatic module of a plugin would
   * read all of it}
   */
  static boolean isCrowded() {
    return apiLayer().modules().stream()
        .map(Module::getName)
        .anyMatch(n -> !isJdk(n) && !n.equals(API) && !n.equals(LAUNCHER));
  }

  /** {@return the modules of the host beside the JDK and the API: the core's, its libraries', …} */
  static Set<String> hidden() {
    Set<String> names = new HashSet<>();
    addNames(apiLayer(), names);
    addNames(HostModules.class.getModule().getLayer(), names);
    names.remove(API);
    return names;
  }

  private static void addNames(ModuleLayer layer, Set<String> names) {
    if (layer != null) {
      layer.modules().stream().map(Module::getName).filter(n -> !isJdk(n)).forEach(names::add);
      layer.parents().forEach(parent -> addNames(parent, names));
    }
  }
}
