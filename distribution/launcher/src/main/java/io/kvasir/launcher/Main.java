package io.kvasir.launcher;

import java.lang.module.Configuration;
import java.lang.module.ModuleFinder;
import java.lang.reflect.InvocationTargetException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/**
 * The thin boot: the boot layer is the JDK, the API and this; the core and the command line are a
 * layer above it, beside those of the plugins. So no plugin can see the core, however it tries.
 */
public final class Main {
  private static final String HOME = "kvasir.home";
  private static final String CORE = "io.kvasir.core";
  private static final String CLI = "io.kvasir.cli";

  private Main() {}

  /**
   * Runs the command line of the distribution that {@code kvasir.home} names.
   *
   * @throws ReflectiveOperationException if the distribution is not whole
   */
  public static void main(String[] args) throws ReflectiveOperationException {
    String home = System.getProperty(HOME);
    Path core = home == null ? null : Path.of(home, "core");
    if (core == null || !Files.isDirectory(core)) {
      System.err.println("kvasir: " + HOME + "=" + home + " is no distribution; start bin/kvasir");
      System.exit(2);
      return;
    }
    ModuleLayer layer = coreLayer(core, Path.of(home, "kit"));
    ClassLoader loader = layer.findLoader(CLI);
    Thread.currentThread().setContextClassLoader(loader);
    try {
      loader.loadClass(CLI + ".Main").getMethod("main", String[].class).invoke(null, (Object) args);
    } catch (InvocationTargetException e) {
      throw new IllegalStateException(e.getCause());
    }
  }

  @SuppressWarnings("restricted") // the core may pass it on to the modules that a plugin lists
  private static ModuleLayer coreLayer(Path core, Path kit) {
    ModuleLayer boot = Main.class.getModule().getLayer();
    Configuration configuration =
        boot.configuration()
            .resolveAndBind(ModuleFinder.of(core, kit), ModuleFinder.of(), Set.of(CLI));
    ModuleLayer.Controller controller =
        ModuleLayer.defineModulesWithOneLoader(
            configuration, List.of(boot), Main.class.getClassLoader());
    controller.enableNativeAccess(controller.layer().findModule(CORE).orElseThrow());
    return controller.layer();
  }
}
