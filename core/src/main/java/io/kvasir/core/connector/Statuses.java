package io.kvasir.core.connector;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.store.Blocks;
import java.util.List;

/** Reads what a store set on blocks, once its call returned. */
final class Statuses {
  private Statuses() {}

  /** Takes what a number of blocks ended with. */
  interface Count {
    void take(BlockStatus status, int blocks, long bytes);
  }

  /** {@return a block's status; a block that the store forgot is {@code IO}} */
  static BlockStatus of(Blocks blocks, int block, BlockStatus failure) {
    BlockStatus status = blocks.status(block);
    if (failure != null) {
      return status == null || status == BlockStatus.OK ? failure : status;
    }
    return status == null ? BlockStatus.IO : status;
  }

  /**
   * {@return false where the store failed for every block; a miss or a full store is no failure}
   */
  static boolean answered(Blocks blocks) {
    for (int i = 0; i < blocks.count(); i++) {
      switch (of(blocks, i, null)) {
        case OK, MISS, CORRUPT, MISMATCH, CAPACITY -> {
          return true;
        }
        case TIMEOUT, IO, CANCELLED, CLOSED -> {}
      }
    }
    return false;
  }

  static void say(Causes causes, String what, Blocks blocks) {
    for (int i = 0; i < blocks.count(); i++) {
      Throwable cause = blocks.cause(i);
      if (cause != null) {
        causes.say(of(blocks, i, null), what + " of " + blocks.keys(), cause);
      }
    }
  }

  static void count(List<Span> spans, Count to) {
    for (BlockStatus status : BlockStatus.values()) {
      int blocks = 0;
      long bytes = 0;
      for (Span span : spans) {
        for (BlockStatus s : span.statuses) {
          if (s == status) {
            blocks++;
            bytes += span.part.payloadBytes();
          }
        }
      }
      if (blocks > 0) {
        to.take(status, blocks, bytes);
      }
    }
  }
}
