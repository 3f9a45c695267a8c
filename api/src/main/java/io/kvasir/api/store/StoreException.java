package io.kvasir.api.store;

import io.kvasir.api.identity.NamespaceManifest;
import java.util.Arrays;
import java.util.concurrent.Callable;

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

  /**
   * {@return what the action returns}
   *
   * @param place where it works: a file, an address
   * @throws StoreException the action's own; {@code IO}, naming the place, for any other checked
   *     exception of it
   */
  public static <T> T orIo(Object place, Callable<T> action) throws StoreException {
    try {
      return action.call();
    } catch (StoreException | RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new StoreException(Kind.IO, place + ": " + e, e);
    }
  }

  /**
   * Checks the manifest that a store keeps of a namespace before it serves a block of it.
   *
   * @param place where the bytes lie
   * @param stored what lies there
   * @throws StoreException {@code MISMATCH} if they are not this manifest's canonical form
   */
  public static void unlessSame(Object place, byte[] stored, NamespaceManifest manifest)
      throws StoreException {
    if (!Arrays.equals(stored, manifest.canonical())) {
      throw new StoreException(
          Kind.MISMATCH,
          "%s: %d bytes that are not the manifest of namespace %s: it is corrupt, or another namespace's; restore it, or remove the namespace"
              .formatted(place, stored.length, manifest.id()));
    }
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
