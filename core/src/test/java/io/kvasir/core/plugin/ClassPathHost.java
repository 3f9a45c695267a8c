package io.kvasir.core.plugin;

import io.kvasir.api.store.StoreProvider;
import io.kvasir.core.config.ConfigValue;
import io.kvasir.core.config.RecordBinder;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;

/** An application with everything on its class path: starts plugins and says what they can see. */
final class ClassPathHost {
  private ClassPathHost() {}

  public static void main(String[] args) throws Exception {
    System.out.println("named " + Plugins.class.getModule().isNamed());
    try (Plugins plugins = Plugins.start(Path.of(args[0]), Set.of(), "1.0.0")) {
      plugins
          .statuses()
          .forEach(p -> System.out.println(p.id() + " " + p.state() + " " + p.detail()));
      for (StoreProvider provider : plugins.services(StoreProvider.class)) {
        String name = provider.descriptor().name();
        Class<? extends Record> type = provider.descriptor().configuration();
        ConfigValue value = new ConfigValue("k.json", Path.of(""), "store", Map.of("slots", 3));
        System.out.println(
            name + " binds " + new RecordBinder(plugins::openToCore).bind(value, type));
        for (String wanted : Arrays.asList(args).subList(1, args.length)) {
          System.out.println(
              name + " sees " + wanted + ": " + sees(provider.getClass().getClassLoader(), wanted));
        }
      }
    }
  }

  private static boolean sees(ClassLoader loader, String type) {
    try {
      Class.forName(type, false, loader);
      return true;
    } catch (ClassNotFoundException e) {
      return false;
    }
  }
}
