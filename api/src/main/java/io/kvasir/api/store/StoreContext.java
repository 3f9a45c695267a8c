package io.kvasir.api.store;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
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

  /**
   * Allocates memory for a backend's own I/O, beside the frames: on huge pages where the core has
   * them and the piece is as large, from which direct I/O is two to three times as fast.
   *
   * @param arena frees it
   * @param bytes its size
   * @param alignment a power of two, at most 2 MiB
   * @return zeroed memory
   */
  default MemorySegment allocate(Arena arena, long bytes, long alignment) {
    return arena.allocate(bytes, alignment);
  }
}
