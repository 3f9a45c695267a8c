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

  /**
   * Looks at the store, for an operator's commands, and for nothing else. It may be called while
   * this process or another has the same store open and writes to it: it takes no lock that keeps
   * anybody out, and creates, changes and ends nothing. What it says may lag behind such a writer;
   * what is half written is left out and is no error. A store that is not there yet is an empty
   * one.
   *
   * <p>The default opens the store, which is right where opening does nothing of what is forbidden
   * here.
   *
   * @param context configuration, log and limits
   * @return the view, which the caller closes
   * @throws StoreException as {@link #open} does, where what is there could not be opened either
   */
  default StoreView inspect(StoreContext context) throws StoreException {
    return open(context);
  }
}
