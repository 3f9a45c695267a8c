package io.kvasir.core;

import static java.lang.System.Logger.Level.WARNING;

import io.kvasir.api.EngineSpec;
import io.kvasir.api.KvasirException;
import io.kvasir.api.PluginStatus;
import io.kvasir.api.format.FormatException;
import io.kvasir.api.format.FormatResolver;
import io.kvasir.api.format.KvFormat;
import io.kvasir.api.identity.IdentityPolicy;
import io.kvasir.api.identity.NamespaceManifest;
import io.kvasir.api.store.Store;
import io.kvasir.api.store.StoreDescriptor;
import io.kvasir.api.store.StoreException;
import io.kvasir.api.store.StoreProvider;
import io.kvasir.api.store.StoreView;
import io.kvasir.core.config.ConfigValue;
import io.kvasir.core.config.Nearest;
import io.kvasir.core.config.RecordBinder;
import io.kvasir.core.config.Settings;
import io.kvasir.core.identity.PolicyChoice;
import io.kvasir.core.plugin.Plugins;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * What a configuration file describes, step by step: the plugins first, then the store, then the
 * identity of an engine. The runtime takes all of them; a command takes those that it needs.
 */
public final class Deployment implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(Deployment.class.getName());

  /** Set by the launcher: where the distribution lies. */
  private static final String HOME = "kvasir.home";

  private final Settings settings;
  private final Plugins plugins;
  private final Services services;
  private OpenStore<Store> store;
  private OpenStore<StoreView> view;

  private Deployment(Settings settings, Plugins plugins) {
    this.settings = settings;
    this.plugins = plugins;
    this.services = new Services(plugins);
  }

  /**
   * Reads a configuration and starts the plugins. The store is not opened.
   *
   * @throws KvasirException if the configuration is wrong
   */
  public static Deployment of(Path configuration) {
    Settings settings = Settings.read(configuration);
    String home = System.getProperty(HOME);
    return of(
        settings,
        settings
            .plugins()
            .directory()
            .or(() -> Optional.ofNullable(home).map(h -> Path.of(h, "plugins"))));
  }

  /**
   * Reads a configuration and starts the plugins of one folder, whatever the configuration says of
   * plugins.
   *
   * @throws KvasirException if the configuration is wrong
   */
  public static Deployment of(Path configuration, Path plugins) {
    return of(Settings.read(configuration), Optional.of(plugins));
  }

  private static Deployment of(Settings settings, Optional<Path> directory) {
    Parts.connector(settings); // before any plugin starts
    Set<String> disabled = Set.copyOf(settings.plugins().disabled());
    Plugins plugins =
        directory
            .map(folder -> Plugins.start(folder, disabled, Version.current()))
            .orElseGet(Plugins::none);
    return new Deployment(settings, plugins);
  }

  /** {@return what the file says} */
  public Settings settings() {
    return settings;
  }

  /** {@return every plugin that was found} */
  public List<PluginStatus> plugins() {
    return plugins.statuses();
  }

  /**
   * {@return the store, opened by the first call}
   *
   * @throws KvasirException if there is no such store, its configuration is wrong, or it does not
   *     open; in the last case the cause is a {@link StoreException}
   */
  public synchronized OpenStore<Store> store() {
    if (store == null) {
      StoreProvider provider = provider();
      store =
          OpenStore.open(
              provider, settings.store().configuration(), bound(provider), closeTimeout());
    }
    return store;
  }

  /**
   * {@return a view of the store, which changes nothing and keeps nobody out}
   *
   * @throws KvasirException as {@link #store()} does
   */
  public synchronized OpenStore<StoreView> view() {
    if (view == null) {
      StoreProvider provider = provider();
      view =
          OpenStore.inspect(
              provider, settings.store().configuration(), bound(provider), closeTimeout());
    }
    return view;
  }

  /**
   * {@return the paths in the store's configuration, by key}
   *
   * @throws KvasirException if there is no such store or its configuration is wrong
   */
  public Map<String, Path> storePaths() {
    return RecordBinder.paths(settings.store().configuration(), bound(provider()));
  }

  /**
   * {@return the store's configuration with other values}
   *
   * @param json the store's object, as the file could have it
   * @throws KvasirException if it is wrong
   */
  public Record storeConfiguration(Map<String, Object> json) {
    ConfigValue said = settings.store().configuration();
    return bound(provider(), new ConfigValue(said.file(), said.directory(), said.key(), json));
  }

  private Record bound(StoreProvider provider) {
    return bound(provider, settings.store().configuration());
  }

  private Record bound(StoreProvider provider, ConfigValue configuration) {
    return new RecordBinder(plugins::openToCore)
        .bind(configuration, provider.descriptor().configuration());
  }

  /**
   * {@return the backend that the configuration names, unopened}
   *
   * @throws KvasirException if there is none
   */
  public StoreProvider provider() {
    String name = settings.store().name();
    List<StoreProvider> all = services.all(StoreProvider.class);
    return one(
        all,
        name,
        provider -> provider.descriptor().name(),
        (what) -> settings.store().configuration().error(what + missingPlugins()),
        "store");
  }

  /** {@return the plugins that might have had the store} */
  private String missingPlugins() {
    return plugins.statuses().stream()
        .map(
            p ->
                switch (p.state()) {
                  case STARTED -> "";
                  case FAILED -> "; the plugin %s has failed: %s".formatted(p.id(), p.detail());
                  case DISABLED ->
                      "; the plugin %s is disabled; take it out of plugins.disabled to have its stores"
                          .formatted(p.id());
                })
        .collect(Collectors.joining());
  }

  /**
   * {@return the identity of an engine's blocks}
   *
   * @throws KvasirException that names the field that is open, and says how to give it
   */
  public Identified identify(EngineSpec engine) {
    String tenant = settings.owner();
    KvFormat format = format(engine);
    Map<String, String> labels = new TreeMap<>();
    if (!engine.modelName().isBlank()) {
      labels.put("model", engine.modelName());
    }
    labels.putAll(settings.labels());
    NamespaceManifest deployment =
        located(
            () ->
                NamespaceManifest.of(tenant, Parts.weights(settings, engine), format)
                    .withLabels(labels));
    return new Identified(
        deployment, located(() -> PolicyChoice.of(settings.identity(), policies(), deployment)));
  }

  List<IdentityPolicy> policies() {
    return services.all(IdentityPolicy.class);
  }

  StoreDescriptor descriptor() {
    return provider().descriptor();
  }

  /** Refuses a policy that the store does not support. */
  void checkSupported(StoreDescriptor store, String policy) {
    if (!store.policies().contains(policy)) {
      throw new KvasirException(
          "%s: identity.policy: the store \"%s\" does not support \"%s\"; it supports %s"
              .formatted(
                  settings.file(), store.name(), policy, String.join(", ", store.policies())));
    }
  }

  /** {@return what is found out of the settings; an error names their file} */
  <T> T located(Supplier<T> of) {
    try {
      return of.get();
    } catch (KvasirException e) {
      if (e.getMessage().startsWith(settings.file() + ": ")) {
        throw e;
      }
      throw new KvasirException(settings.file() + ": " + e.getMessage(), e);
    }
  }

  private KvFormat format(EngineSpec engine) {
    FormatResolver resolver =
        one(
            services.all(FormatResolver.class),
            engine.resolver(),
            FormatResolver::name,
            what -> new FormatException("resolver: " + what),
            "format resolver");
    KvFormat format = Parts.resolve(resolver, settings, engine);
    format.check();
    return format;
  }

  Duration closeTimeout() {
    return Parts.connector(settings).closeTimeout();
  }

  /** Closes the store and the view, if they are open, and the plugins. Repeating does nothing. */
  @Override
  public synchronized void close() {
    close(view);
    close(store);
    view = null;
    store = null;
    plugins.close();
  }

  private static void close(OpenStore<?> open) {
    if (open != null) {
      try {
        open.store().close();
      } catch (StoreException | RuntimeException e) {
        LOG.log(WARNING, () -> "the store did not close as it should: " + e, e);
      }
    }
  }

  /** Finds the one provider that has a name. */
  private static <T> T one(
      List<T> all,
      String name,
      Function<T, String> naming,
      Function<String, KvasirException> error,
      String what) {
    List<T> named = all.stream().filter(t -> naming.apply(t).equals(name)).toList();
    if (named.size() > 1) {
      throw error.apply(
          "%d providers of a %s are called \"%s\": %s"
              .formatted(
                  named.size(),
                  what,
                  name,
                  named.stream().map(t -> t.getClass().getName()).sorted().toList()));
    }
    if (named.isEmpty()) {
      Set<String> known = all.stream().map(naming).collect(Collectors.toCollection(TreeSet::new));
      String wayOut =
          known.isEmpty()
              ? "there is none at all; plugins.directory says where plugins lie"
              : Nearest.to(name, known)
                  .map(near -> "did you mean \"" + near + "\"?")
                  .orElseGet(() -> "there are " + String.join(", ", known));
      throw error.apply("there is no %s \"%s\"; %s".formatted(what, name, wayOut));
    }
    return named.getFirst();
  }
}
