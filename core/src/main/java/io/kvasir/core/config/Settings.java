package io.kvasir.core.config;

import io.kvasir.api.KvasirException;
import io.kvasir.api.store.Setting;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What a {@code kvasir.json} says.
 *
 * @param file the file as the operator wrote it
 * @param tenant who owns the bytes; see {@link #owner()}
 * @param store the one store, and its own settings
 * @param identity how blocks are named: the policy, and its own settings
 * @param weights how the weights are named where the engine does not say
 * @param plugins where the plugins lie
 * @param connector the connector's settings; an empty object where the file gives none
 * @param format what the resolver {@code explicit} reads
 * @param labels display names that are kept with a namespace and are not identity
 */
public record Settings(
    String file,
    Optional<ConfigValue> tenant,
    StoreSettings store,
    Map<String, Object> identity,
    ConfigValue weights,
    PluginSettings plugins,
    ConfigValue connector,
    Map<String, Object> format,
    Map<String, String> labels) {
  private static final String A_STORE =
      "as in {\"local\": {\"directory\": \"blocks\", \"capacity\": \"10GiB\"}}";

  /**
   * The store.
   *
   * @param name name of the backend
   * @param configuration the backend's own object
   */
  public record StoreSettings(String name, ConfigValue configuration) {}

  /**
   * Where the plugins lie.
   *
   * @param directory a folder or a zip for each plugin
   * @param disabled ids of plugins to leave out
   */
  public record PluginSettings(
      @Setting("a folder or a zip for each plugin") Optional<Path> directory,
      @Setting(value = "ids of plugins to leave out", byDefault = "[]") List<String> disabled) {}

  /**
   * {@return what a file says}
   *
   * @throws KvasirException that names the first key that is wrong
   */
  public static Settings read(Path file) {
    return of(ConfigFile.read(file));
  }

  static Settings of(Section root) {
    RecordBinder binder = new RecordBinder();
    Optional<ConfigValue> tenant = root.take("tenant");
    Optional<ConfigValue> store = root.take("store");
    Map<String, Object> identity = object(root, "identity").rest();
    ConfigValue weights = object(root, "weights").at();
    Section plugins = object(root, "plugins");
    ConfigValue connector = object(root, "connector").at();
    Map<String, Object> format = object(root, "format").rest();
    Section labels = object(root, "labels");
    root.end();
    return new Settings(
        root.at().file(),
        tenant,
        store(
            store.orElseThrow(
                () -> root.at().child("store", null).error("missing; name one store, " + A_STORE))),
        identity,
        weights,
        plugins(binder, plugins),
        connector,
        format,
        labels(labels));
  }

  /**
   * {@return who owns the bytes}
   *
   * @throws KvasirException if the file does not say
   */
  public String owner() {
    String wayOut = "write who owns the blocks, as in \"tenant\": \"acme\"";
    ConfigValue value =
        tenant.orElseThrow(() -> new KvasirException(file + ": tenant: missing; " + wayOut));
    if (value.json() instanceof String s && s.isBlank()) {
      throw value.error("%s names nobody; %s".formatted(value.shown(), wayOut));
    }
    return value.text();
  }

  private static StoreSettings store(ConfigValue value) {
    Section section = value.section();
    Map<String, Object> stores = section.rest();
    if (stores.isEmpty()) {
      throw value.error("names no store; write one, " + A_STORE);
    }
    if (stores.size() > 1) {
      throw value.error(
          "names %d stores, %s; keep one"
              .formatted(stores.size(), String.join(" and ", stores.keySet())));
    }
    String name = stores.keySet().iterator().next();
    return new StoreSettings(name, value.child(name, stores.get(name)));
  }

  private static PluginSettings plugins(RecordBinder binder, Section section) {
    PluginSettings plugins = binder.bind(section, PluginSettings.class);
    plugins
        .directory()
        .filter(directory -> !Files.isDirectory(directory))
        .ifPresent(
            directory -> {
              throw section
                  .at()
                  .child("directory", null)
                  .error(
                      "there is no directory %s; write where the plugins lie".formatted(directory));
            });
    return plugins;
  }

  private static Map<String, String> labels(Section section) {
    Map<String, String> out = new TreeMap<>();
    section.rest().forEach((name, json) -> out.put(name, section.at().child(name, json).text()));
    return out;
  }

  private static Section object(Section root, String name) {
    return root.take(name).orElseGet(() -> root.at().child(name, Map.of())).section();
  }
}
