package io.kvasir.core.plugin;

import io.kvasir.api.KvasirException;
import java.io.IOException;
import java.lang.module.Configuration;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.lang.module.ResolvedModule;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.Set;

/**
 * The code of one plugin: all its modules in one layer, or, where there can be no layer, all its
 * jars in the unnamed module of this loader.
 *
 * <p>Either way it sees its own classes, the JDK, the API, what the plugins it depends on export,
 * and nothing else. A loader of its own rather than the JDK's for layers, because that one cannot
 * be closed.
 */
final class PluginCode extends URLClassLoader {
  static {
    registerAsParallelCapable();
  }

  private final Path folder;
  private final Map<String, ModuleReference> own = new HashMap<>();
  private final Set<String> ownPackages = new HashSet<>();
  private final Map<String, ClassLoader> foreignPackages = new HashMap<>();
  private final Set<String> exportedModules = new HashSet<>();
  private final Set<String> exportedPackages = new HashSet<>();
  private ModuleLayer.Controller controller;

  PluginCode(String id, Path folder) {
    super("plugin:" + id, new URL[0], ClassLoader.getPlatformClassLoader());
    this.folder = folder;
  }

  /** {@return the layer, or null for a plugin that lives in the unnamed module} */
  ModuleLayer layer() {
    return controller == null ? null : controller.layer();
  }

  /**
   * Checks the plugin and makes its code loadable; called once, when all that it depends on is
   * started.
   *
   * @throws KvasirException that says why it cannot start
   */
  void define(Collection<PluginCode> dependencies, Set<String> nativeAccess) {
    List<PluginJar> jars = PluginJar.in(folder);
    Set<String> offered = new HashSet<>();
    dependencies.forEach(d -> offered.addAll(d.exportedModules));
    new Inspection(jars, offered).check(nativeAccess);
    for (PluginJar jar : jars) {
      addURL(url(jar.path().toUri()));
      ownPackages.addAll(jar.packages());
      jar.descriptor().ifPresent(d -> ownPackages.addAll(d.packages()));
      jar.explicit().ifPresent(this::export);
    }
    if (mustBeIsolated(jars, dependencies)) {
      dependencies.forEach(d -> d.exportedPackages.forEach(p -> foreignPackages.put(p, d)));
    } else {
      defineLayer(dependencies, nativeAccess);
    }
  }

  private void export(ModuleDescriptor module) {
    exportedModules.add(module.name());
    module.exports().stream()
        .filter(e -> !e.isQualified())
        .forEach(e -> exportedPackages.add(e.source()));
  }

  /**
   * No layer where the API has none, and none for automatic modules that would read the
   * application. A dependent of an isolated plugin is isolated too: no named module can require an
   * unnamed one.
   */
  private static boolean mustBeIsolated(List<PluginJar> jars, Collection<PluginCode> dependencies) {
    return HostModules.apiLayer() == null
        || dependencies.stream().anyMatch(d -> d.layer() == null)
        || (HostModules.isCrowded() && jars.stream().anyMatch(jar -> jar.explicit().isEmpty()));
  }

  private void defineLayer(Collection<PluginCode> dependencies, Set<String> nativeAccess) {
    ModuleFinder finder = ModuleFinder.of(folder.resolve("lib"));
    for (ModuleReference reference : finder.findAll()) {
      own.put(reference.descriptor().name(), reference);
    }
    List<ModuleLayer> parents = new ArrayList<>();
    dependencies.forEach(d -> parents.add(d.layer()));
    parents.add(HostModules.apiLayer());
    Configuration configuration =
        Configuration.resolve(
            finder,
            parents.stream().map(ModuleLayer::configuration).toList(),
            ModuleFinder.of(),
            own.keySet());
    for (ResolvedModule module : configuration.modules()) {
      for (ResolvedModule read : module.reads()) {
        if (read.configuration() != configuration) {
          parents.forEach(parent -> see(parent, read));
        }
      }
    }
    controller = ModuleLayer.defineModules(configuration, parents, _ -> this);
    nativeAccess.forEach(this::grantNativeAccess);
  }

  /** Takes in what a module exports that lies in the layer of another plugin, or behind it. */
  private void see(ModuleLayer layer, ResolvedModule read) {
    if (layer.configuration() == read.configuration()) {
      Module module = layer.findModule(read.name()).orElseThrow();
      if (module.getClassLoader() instanceof PluginCode other) {
        other.exportedPackages.stream()
            .filter(module.getPackages()::contains)
            .forEach(p -> foreignPackages.put(p, other));
      }
    } else {
      layer.parents().forEach(parent -> see(parent, read));
    }
  }

  @SuppressWarnings("restricted") // granting is the host's right
  private void grantNativeAccess(String module) {
    try {
      controller.enableNativeAccess(controller.layer().findModule(module).orElseThrow());
    } catch (IllegalCallerException e) {
      throw new KvasirException(
          "kvasir.native-access: the core cannot grant native access to %s;".formatted(module)
              + " start the JVM with --enable-native-access=io.kvasir.core",
          e);
    }
  }

  /** Opens the package of one of the plugin's classes to the core. */
  void openToCore(Class<?> type) {
    if (controller != null && type.getModule().getLayer() == controller.layer()) {
      controller.addOpens(type.getModule(), type.getPackageName(), PluginCode.class.getModule());
    }
  }

  /** {@return the providers that this plugin itself brings} */
  <T> List<ServiceLoader.Provider<T>> services(Class<T> type) {
    PluginCode.class.getModule().addUses(type);
    // ServiceLoader walks the parents too, of a layer as of a loader
    ServiceLoader<T> all =
        controller != null ? ServiceLoader.load(layer(), type) : ServiceLoader.load(type, this);
    return all.stream().filter(p -> p.type().getClassLoader() == this).toList();
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    synchronized (getClassLoadingLock(name)) {
      Class<?> type = findLoadedClass(name);
      if (type == null) {
        type = find(name, name.substring(0, Math.max(0, name.lastIndexOf('.'))));
      }
      if (resolve) {
        resolveClass(type);
      }
      return type;
    }
  }

  private Class<?> find(String name, String packageName) throws ClassNotFoundException {
    if (ownPackages.contains(packageName)) {
      return findClass(name); // never asked of the host: the plugin's own library wins
    }
    if (HostModules.API_PACKAGES.contains(packageName)) {
      return HostModules.apiLoader().loadClass(name);
    }
    if (HostModules.JDK_PACKAGES.contains(packageName)) {
      // by package, not by "ask the parent": the platform loader also finds the named modules of
      // the application
      return ClassLoader.getPlatformClassLoader().loadClass(name);
    }
    ClassLoader other = foreignPackages.get(packageName);
    if (other != null) {
      return other.loadClass(name);
    }
    throw new ClassNotFoundException(name);
  }

  /** Used by ServiceLoader and {@link Class#forName(Module, String)}. */
  @Override
  protected Class<?> findClass(String module, String name) {
    try {
      return module == null || own.containsKey(module) ? loadClass(name, false) : null;
    } catch (ClassNotFoundException e) {
      return null;
    }
  }

  /** {@code System.loadLibrary} finds natives in the plugin's folder; nothing is unpacked. */
  @Override
  protected String findLibrary(String name) {
    Path file = folder.resolve("native").resolve(System.mapLibraryName(name)).toAbsolutePath();
    return Files.exists(file) ? file.toString() : null;
  }

  /** Used by {@link Class#getResource} and {@link Module#getResourceAsStream}. */
  @Override
  protected URL findResource(String module, String name) throws IOException {
    if (module == null) {
      return findResource(name);
    }
    ModuleReference reference = own.get(module);
    if (reference == null) {
      return null;
    }
    try (var reader = reference.open()) {
      Optional<URI> found = reader.find(name);
      return found.isPresent() ? found.get().toURL() : null;
    }
  }

  /** Its own resources, then the JDK's; META-INF/services of the host stays with the host. */
  @Override
  public URL getResource(String name) {
    URL url = findResource(name);
    return url != null || name.startsWith("META-INF/") ? url : super.getResource(name);
  }

  @Override
  public Enumeration<URL> getResources(String name) throws IOException {
    List<URL> all = new ArrayList<>(Collections.list(findResources(name)));
    if (!name.startsWith("META-INF/")) {
      all.addAll(Collections.list(getParent().getResources(name)));
    }
    return Collections.enumeration(all);
  }

  private static URL url(URI uri) {
    try {
      return uri.toURL();
    } catch (MalformedURLException e) {
      throw new IllegalArgumentException(e);
    }
  }
}
