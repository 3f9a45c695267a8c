package io.kvasir.plugin.local;

import java.lang.foreign.MemorySegment;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;

/**
 * Reads block after block again, at a bounded rate, so that damage is found before the block is
 * needed. Not thread-safe.
 */
final class Scrub {
  private static final double SECOND = 1e9;

  private final Collection<Slab> slabs;
  private final double bytesPerNano;
  private Iterator<Slab> rest = List.<Slab>of().iterator();
  private Slab slab;
  private int slot;
  private MemorySegment frame;
  private double credit;
  private long last;
  private boolean began;

  /**
   * @param bytesPerSecond 0 for none
   */
  Scrub(Collection<Slab> slabs, long bytesPerSecond) {
    this.slabs = slabs;
    this.bytesPerNano = bytesPerSecond / SECOND;
  }

  /** Reads what the rate allows since the last call; a pause is not made good for. */
  void goOn(long nanos) {
    double second = bytesPerNano * SECOND;
    credit = Math.min(second, credit + (began ? nanos - last : 0) * bytesPerNano);
    last = nanos;
    began = true;
    boolean passed = false;
    while (credit > 0) {
      if (slab == null) {
        if (!rest.hasNext()) {
          if (passed) {
            return; // a whole pass in one slice: there is little
          }
          passed = true;
          rest = List.copyOf(slabs).iterator();
          continue;
        }
        begin(rest.next());
      }
      slot = slab.verify(slot, frame);
      if (slot < 0) {
        slab = null;
      } else {
        slot++;
        credit -= frame.byteSize();
      }
    }
  }

  private void begin(Slab next) {
    slab = next;
    slot = 0;
    int bytes = next.header().slotBytes();
    if (frame == null || frame.byteSize() != bytes) {
      frame = Layout.pages(bytes / Layout.PAGE);
    }
  }
}
