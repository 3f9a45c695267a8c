package io.kvasir.core.plugin;

import io.kvasir.api.KvasirException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleDescriptor.Requires;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Decides from the descriptors whether a plugin may start, the same in every shape, before any
 * class of it is loaded.
 */
final class Inspection {
  private final List<PluginJar> jars;
  private final Set<String> own = new HashSet<>();
  private final Set<String> offered;

  /**
   * Prepares the inspection.
   *
   * @param offered modules of the plugins that this one depends on
   */
  Inspection(List<PluginJar> jars, Set<String> offered) {
    this.jars = jars;
    this.offered = offered;
    jars.forEach(jar -> jar.descriptor().ifPresent(d -> own.add(d.name())));
  }

  /**
   * Refuses a plugin that brings the API, requires what it may not, or would find other providers
   * on a class path than in a layer.
   *
   * @param nativeAccess modules that ask for native access
   */
  void check(Set<String> nativeAccess) {
    checkTwins();
    for (PluginJar jar : jars) {
      checkApi(jar);
      jar.explicit().ifPresent(d -> d.requires().forEach(r -> checkRequires(d, r)));
      checkServices(jar);
    }
    for (String module : nativeAccess) {
      if (!own.contains(module)) {
        throw new KvasirException(
            "kvasir.native-access in plugin.properties: it holds no module %s; its modules are %s"
                .formatted(module, new TreeSet<>(own)));
      }
    }
  }

  private void checkTwins() {
    Map<String, PluginJar> seen = new HashMap<>();
    for (PluginJar jar : jars) {
      jar.descriptor()
          .ifPresent(
              module -> {
                PluginJar twin = seen.put(module.name(), jar);
                if (twin != null) {
                  throw new KvasirException(
                      "%s and %s are both the module %s; remove one"
                          .formatted(twin.name(), jar.name(), module.name()));
                }
              });
    }
  }

  private static void checkApi(PluginJar jar) {
    boolean named = jar.descriptor().filter(d -> d.name().equals(HostModules.API)).isPresent();
    if (named || jar.packages().stream().anyMatch(HostModules.API_PACKAGES::contains)) {
      throw new KvasirException(
          "%s: holds io.kvasir.api, which the host supplies; leave it out (scope provided)"
              .formatted(jar.name()));
    }
  }

  private void checkRequires(ModuleDescriptor module, Requires requires) {
    String name = requires.name();
    boolean optional = requires.modifiers().contains(Requires.Modifier.STATIC);
    if (own.contains(name)
        || offered.contains(name)
        || name.equals(HostModules.API)
        || HostModules.isResolvedJdk(name)) {
      return;
    }
    if (!optional && HostModules.isJdk(name)) {
      throw new KvasirException(
          "module %s requires %s, which this JVM has not resolved; start it with --add-modules %s"
              .formatted(module.name(), name, name));
    }
    if (!optional) {
      throw new KvasirException(
          "module %s requires %s; a plugin may require the JDK, io.kvasir.api, modules in its lib,"
                  .formatted(module.name(), name)
              + " and those of the plugins in its plugin.dependencies");
    }
    if (HostModules.hidden().contains(name)) {
      throw new KvasirException(
          "module %s requires static %s, which is the host's; put the jar into the plugin's lib"
              .formatted(module.name(), name));
    }
  }

  /** On a class path META-INF/services counts, in a layer module-info does. */
  private static void checkServices(PluginJar jar) {
    jar.explicit()
        .ifPresent(
            module -> {
              Set<String> services = new TreeSet<>(jar.services().keySet());
              module.provides().forEach(p -> services.add(p.service()));
              services.removeIf(s -> !HostModules.API_PACKAGES.contains(packageOf(s)));
              services.forEach(service -> checkService(jar, module, service));
            });
  }

  private static void checkService(PluginJar jar, ModuleDescriptor module, String service) {
    List<String> listed = jar.services().getOrDefault(service, List.of());
    List<String> provided =
        module.provides().stream()
            .filter(p -> p.service().equals(service))
            .findFirst()
            .map(ModuleDescriptor.Provides::providers)
            .orElse(List.of());
    if (!listed.equals(provided)) {
      throw new KvasirException(
          "%s: module-info provides %s with %s, META-INF/services lists %s; both must say the same"
              .formatted(jar.name(), service, provided, listed));
    }
  }

  private static String packageOf(String type) {
    return type.substring(0, Math.max(0, type.lastIndexOf('.')));
  }
}
