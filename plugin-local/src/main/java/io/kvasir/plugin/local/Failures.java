package io.kvasir.plugin.local;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.store.StoreException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;

/** What an exception of the disk means for a block, and for a call. */
final class Failures {
  private Failures() {}

  /** Whether the file system has no room; Java has no type for it, only the system's text. */
  static boolean isFull(Throwable e) {
    String message = String.valueOf(e.getMessage());
    return message.contains("No space left on device")
        || message.contains("Disk quota exceeded")
        || (e.getCause() != null && isFull(e.getCause()));
  }

  static IOException io(Throwable e) {
    return e instanceof IOException io ? io : new IOException(e);
  }

  static BlockStatus status(Throwable e) {
    return isFull(e) ? BlockStatus.CAPACITY : BlockStatus.IO;
  }

  static StoreException of(IOException e, String what) {
    if (e instanceof FormatError) {
      return new StoreException(StoreException.Kind.MISMATCH, e.getMessage(), e);
    }
    if (String.valueOf(e.getMessage()).contains("Read-only file system")) {
      return new StoreException(
          StoreException.Kind.IO,
          what + ": its file system is read-only; make it writable, or configure another directory",
          e);
    }
    if (e instanceof AccessDeniedException denied) {
      return new StoreException(
          StoreException.Kind.IO,
          "%s: this user may not use %s; give it the right to read and write there, or configure another directory"
              .formatted(what, denied.getFile()),
          e);
    }
    StoreException.Kind kind = isFull(e) ? StoreException.Kind.CAPACITY : StoreException.Kind.IO;
    return new StoreException(kind, what + ": " + e, e);
  }

  /** How a removal that did not end {@code OK} is said. */
  static StoreException of(BlockStatus status, String what) {
    StoreException.Kind kind =
        switch (status) {
          case TIMEOUT -> StoreException.Kind.TIMEOUT;
          case CAPACITY -> StoreException.Kind.CAPACITY;
          case CLOSED -> StoreException.Kind.CLOSED;
          default -> StoreException.Kind.IO;
        };
    return new StoreException(kind, what + " ended " + status);
  }
}
