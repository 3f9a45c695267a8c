package io.kvasir.core;

import io.kvasir.api.KvasirException;
import io.kvasir.api.store.NamespaceSummary;
import io.kvasir.api.store.Store;
import io.kvasir.api.store.StoreContext;
import io.kvasir.api.store.StoreDescriptor;
import io.kvasir.api.store.StoreException;
import io.kvasir.api.store.StoreProvider;
import io.kvasir.api.store.StoreView;
import io.kvasir.core.config.ConfigValue;
import io.kvasir.core.memory.HugePages;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;

/**
 * A store that the configuration named, open, or only looked at.
 *
 * @param descriptor what it is
 * @param store the store, or a view of it
 * @param configuration the store's object, for errors
 */
public record OpenStore<S extends StoreView>(
    StoreDescriptor descriptor, S store, ConfigValue configuration) {
  /** A call of a provider that gives a store or a view. */
  private interface Opening<S> {
    S from(StoreProvider provider, StoreContext context) throws StoreException;
  }

  private record Context(Record bound, System.Logger logger, Duration closeTimeout)
      implements StoreContext {
    @Override
    public <C extends Record> C configuration(Class<C> type) {
      if (!type.isInstance(bound)) {
        throw new IllegalArgumentException(
            "the store's descriptor names %s, not %s"
                .formatted(bound.getClass().getName(), type.getName()));
      }
      return type.cast(bound);
    }

    @Override
    public MemorySegment allocate(Arena arena, long bytes, long alignment) {
      return HugePages.allocate(arena, bytes, alignment);
    }
  }

  /**
   * Opens a store, with the provider's loader as the context class loader: libraries look for their
   * own providers there.
   *
   * @param configuration the store's object, for errors
   * @param bound the record that it describes
   * @throws KvasirException if the store does not open; its cause is the store's own exception
   */
  static OpenStore<Store> open(
      StoreProvider provider, ConfigValue configuration, Record bound, Duration close) {
    OpenStore<Store> open = call(provider, configuration, bound, close, StoreProvider::open);
    if (!open.descriptor.capabilities().checksum()) {
      logger(provider)
          .log(
              System.Logger.Level.WARNING,
              "the store \"{0}\" does not claim to check what it reads (capability checksum): bytes"
                  + " that a disk or a network changes are served as they are",
              open.descriptor.name());
    }
    return open;
  }

  /** Looks at a store as {@link #open} opens it. */
  static OpenStore<StoreView> inspect(
      StoreProvider provider, ConfigValue configuration, Record bound, Duration close) {
    return call(provider, configuration, bound, close, StoreProvider::inspect);
  }

  private static System.Logger logger(StoreProvider provider) {
    return System.getLogger("io.kvasir.store." + provider.descriptor().name());
  }

  private static <S extends StoreView> OpenStore<S> call(
      StoreProvider provider,
      ConfigValue configuration,
      Record bound,
      Duration close,
      Opening<S> opening) {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    thread.setContextClassLoader(provider.getClass().getClassLoader());
    try {
      S store = opening.from(provider, new Context(bound, logger(provider), close));
      if (store == null) {
        throw configuration.error("cannot be opened: the plugin gave no store");
      }
      return new OpenStore<>(provider.descriptor(), store, configuration);
    } catch (StoreException e) {
      throw configuration.error("cannot be opened: " + e.getMessage(), e);
    } catch (KvasirException e) {
      throw configuration.error(e.getMessage(), e);
    } catch (RuntimeException | LinkageError e) {
      throw configuration.error("cannot be opened: " + e, e);
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  /**
   * {@return the namespaces of the store}
   *
   * @throws KvasirException that names file and store; its cause is the store's own exception
   */
  public List<NamespaceSummary> namespaces() {
    try {
      return store.namespaces();
    } catch (StoreException e) {
      throw configuration.error(
          e.kind() == StoreException.Kind.UNSUPPORTED
              ? "does not list its namespaces: its plugin does not claim the capability"
                  + " \"enumerate\""
              : e.getMessage(),
          e);
    }
  }
}
