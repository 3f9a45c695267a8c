package io.kvasir.api.store;

/** A store's failure, typed, so that the core can tell an outage from a full disk. */
public final class StoreException extends Exception {
  private static final long serialVersionUID = 1;

  /** What failed. */
  public enum Kind {
    /** The configuration is wrong; an operator must change it. */
    CONFIGURATION,
    /** What is stored belongs to something else, or is not what it says. */
    MISMATCH,
    /** The store cannot be reached, now. */
    UNAVAILABLE,
    /** No room, now. */
    CAPACITY,
    /** A device or a network failed. */
    IO,
    /** The store is closed. */
    CLOSED,
    /** The deadline has passed. */
    TIMEOUT,
    /** The backend does not claim the capability. */
    UNSUPPORTED
  }

  private final Kind kind;
  private final boolean retryable;

  /** Creates the error. */
  public StoreException(Kind kind, String message) {
    this(kind, message, null);
  }

  /** Creates the error with what caused it. */
  public StoreException(Kind kind, String message, Throwable cause) {
    super(message, cause);
    this.kind = kind;
    this.retryable = kind == Kind.UNAVAILABLE || kind == Kind.CAPACITY || kind == Kind.TIMEOUT;
  }

  /** {@return the agreed error of a method whose capability the backend does not claim} */
  public static StoreException unsupported(String capability) {
    return new StoreException(Kind.UNSUPPORTED, "this store does not support " + capability);
  }

  /** {@return what failed} */
  public Kind kind() {
    return kind;
  }

  /** {@return whether the same call may succeed later without anybody changing anything} */
  public boolean retryable() {
    return retryable;
  }
}
