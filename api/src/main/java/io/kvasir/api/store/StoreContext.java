package io.kvasir.api.store;

import java.time.Duration;

/** What the core gives a backend at {@link StoreProvider#open}. */
public interface StoreContext {
  /**
   * {@return the backend's configuration, every component set}
   *
   * @param type the record that the descriptor names
   */
  <C extends Record> C configuration(Class<C> type);

  /** {@return the log of this store} */
  System.Logger logger();

  /** {@return how long {@link Store#close} may take} */
  Duration closeTimeout();
}
