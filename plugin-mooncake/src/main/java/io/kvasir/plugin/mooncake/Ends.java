package io.kvasir.plugin.mooncake;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.store.StoreException;

/** What a failed call means for its blocks. */
final class Ends {
  private Ends() {}

  static BlockStatus of(StoreException e) {
    return switch (e.kind()) {
      case TIMEOUT -> BlockStatus.TIMEOUT;
      case CAPACITY -> BlockStatus.CAPACITY;
      case CLOSED -> BlockStatus.CLOSED;
      case MISMATCH -> BlockStatus.MISMATCH;
      case UNAVAILABLE, IO, CONFIGURATION, UNSUPPORTED -> BlockStatus.IO;
    };
  }
}
