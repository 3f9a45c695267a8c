package io.kvasir.api.store;

/**
 * SPI: a backend's entry, found by {@link java.util.ServiceLoader} in a plugin. Has a public
 * constructor without arguments that touches no file, socket or device.
 */
public interface StoreProvider {
  /** {@return what the backend is and can do; constant} */
  StoreDescriptor descriptor();

  /**
   * Opens the store. Called once per {@link io.kvasir.api.Kvasir}, on the caller's thread.
   *
   * @param context configuration, log and limits
   * @return the open store
   * @throws StoreException if it cannot be opened; nothing stays open. {@code CONFIGURATION} names
   *     the key, its value and the way out
   */
  Store open(StoreContext context) throws StoreException;
}
