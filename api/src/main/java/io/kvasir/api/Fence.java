package io.kvasir.api;

/** When the engine's bytes of a save may be read. */
public sealed interface Fence {
  /** {@return the fence of bytes that are ready now} */
  static Fence none() {
    return Ready.READY;
  }

  /** {@return a fence that an event of the engine's device signals} */
  static Fence event(long handle) {
    return new Event(handle);
  }

  /** {@return a fence that the engine answers for} */
  static Fence when(Condition condition) {
    return new When(condition);
  }

  /** Ready now. */
  enum Ready implements Fence {
    /** The only one. */
    READY
  }

  /**
   * A device's event, waited for by the transfer path of that device. It is not recorded again and
   * not destroyed before the transfer has ended.
   *
   * @param handle the raw handle, as in {@code CUevent}
   */
  record Event(long handle) implements Fence {}

  /**
   * A condition of the engine's.
   *
   * @param condition waits for it
   */
  record When(Condition condition) implements Fence {}

  /** Waits until bytes are ready; called on a worker of the core. */
  @FunctionalInterface
  interface Condition {
    /**
     * {@return whether the bytes are ready; false once the deadline has passed}
     *
     * @throws InterruptedException if the connector closes
     */
    boolean await(Deadline deadline) throws InterruptedException;
  }
}
