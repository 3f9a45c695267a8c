package io.kvasir.core;

import io.kvasir.api.KvasirException;
import io.kvasir.api.store.Store;
import io.kvasir.api.store.StoreContext;
import io.kvasir.api.store.StoreDescriptor;
import io.kvasir.api.store.StoreException;
import io.kvasir.api.store.StoreProvider;
import io.kvasir.core.config.ConfigValue;
import java.time.Duration;

/**
 * A store that the configuration named, open.
 *
 * @param descriptor what it is
 * @param store the store
 */
public record OpenStore(StoreDescriptor descriptor, Store store) {
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
  }

  /**
   * Opens a store, with the provider's loader as the context class loader: libraries look for their
   * own providers there.
   *
   * @param configuration the store's object, for errors
   * @param bound the record that it describes
   * @throws KvasirException if the store does not open; its cause is the store's own exception
   */
  static OpenStore open(
      StoreProvider provider, ConfigValue configuration, Record bound, Duration close) {
    StoreDescriptor descriptor = provider.descriptor();
    System.Logger logger = System.getLogger("io.kvasir.store." + descriptor.name());
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    thread.setContextClassLoader(provider.getClass().getClassLoader());
    try {
      Store store = provider.open(new Context(bound, logger, close));
      if (store == null) {
        throw configuration.error("cannot be opened: the plugin gave no store");
      }
      if (!descriptor.capabilities().checksum()) {
        logger.log(
            System.Logger.Level.WARNING,
            "the store \"{0}\" does not claim to check what it reads (capability checksum): bytes"
                + " that a disk or a network changes are served as they are",
            descriptor.name());
      }
      return new OpenStore(descriptor, store);
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
}
