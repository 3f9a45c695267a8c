package io.kvasir.api;

import java.nio.file.Path;
import java.util.List;
import java.util.ServiceLoader;

/**
 * The runtime within an engine's process: configuration, plugins, one open store. Thread-safe.
 *
 * <p>The implementation is found by {@link ServiceLoader}: in the core, beside this module or in a
 * layer whose loader is the thread's context class loader.
 */
public interface Kvasir extends AutoCloseable {
  /**
   * Finds, checks and starts the plugins, and opens the store that the configuration names. A
   * plugin that cannot start is reported and the others go on.
   *
   * @param configuration a JSON file; relative paths in it start at its directory
   * @throws KvasirException if the configuration is wrong, no runtime is found, or the store cannot
   *     be opened; the engine may go on without a cache
   */
  static Kvasir open(Path configuration) {
    ClassLoader context = Thread.currentThread().getContextClassLoader();
    return ServiceLoader.load(KvasirProvider.class, context)
        .findFirst()
        .or(
            () ->
                ServiceLoader.load(KvasirProvider.class, Kvasir.class.getClassLoader()).findFirst())
        .orElseThrow(
            () ->
                new KvasirException(
                    "no Kvasir runtime: kvasir-core is neither on the path of the application nor"
                        + " visible to the thread's context class loader"))
        .open(configuration);
  }

  /**
   * Connects an engine: resolves format, weights and identity, and refuses what stays open.
   *
   * @throws KvasirException that names the field and says how to give it
   */
  KvConnector connect(EngineSpec engine);

  /** {@return every plugin that was found, with its state and, where it failed, why} */
  List<PluginStatus> plugins();

  /** Closes the connectors, the store and the plugins, within the configured deadline. */
  @Override
  void close();
}
