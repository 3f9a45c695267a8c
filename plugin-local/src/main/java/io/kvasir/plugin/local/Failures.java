package io.kvasir.plugin.local;

import io.kvasir.api.BlockStatus;

/** What an exception of the disk means for a block. */
final class Failures {
  private Failures() {}

  /** Whether the file system has no room; Java has no type for it, only the system's text. */
  static boolean isFull(Throwable e) {
    String message = String.valueOf(e.getMessage());
    return message.contains("No space left on device") || message.contains("Disk quota exceeded");
  }

  static BlockStatus status(Throwable e) {
    return isFull(e) ? BlockStatus.CAPACITY : BlockStatus.IO;
  }
}
