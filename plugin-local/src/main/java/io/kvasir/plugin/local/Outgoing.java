package io.kvasir.plugin.local;

import io.kvasir.api.BlockStatus;
import java.lang.foreign.MemorySegment;

/** A block on its way out. */
final class Outgoing {
  final Key key;
  final Bits128 print;
  final MemorySegment frame; // one whole slot
  int slot;
  SlotTable.Entry entry;

  /** Null until it is known. */
  BlockStatus status;

  Throwable cause;

  Outgoing(Key key, Bits128 print, MemorySegment frame) {
    this.key = key;
    this.print = print;
    this.frame = frame;
  }

  void end(BlockStatus status, Throwable cause) {
    this.status = status;
    this.cause = cause;
  }
}
