package io.kvasir.plugin.local;

import io.kvasir.api.BlockStatus;
import java.lang.foreign.MemorySegment;

/**
 * A block on its way in. The fields below the constructor are guarded by the lock of the slab once
 * a batch has it.
 */
final class Incoming {
  final Key key;
  final Bits128 print;
  final Bits128 parent;
  final int depth;
  final int length;
  final MemorySegment frame; // one whole slot

  /** Null until it is known. */
  BlockStatus status;

  Throwable cause;
  int slot = SlotTable.NONE;
  int crc;

  /**
   * The same block, which another call is writing at this moment: its end is the end of this one.
   */
  Incoming twin;

  Incoming(Key key, Bits128 print, Bits128 parent, int depth, int length, MemorySegment frame) {
    this.key = key;
    this.print = print;
    this.parent = parent;
    this.depth = depth;
    this.length = length;
    this.frame = frame;
  }

  void end(BlockStatus status, Throwable cause) {
    this.status = status;
    this.cause = cause;
  }
}
