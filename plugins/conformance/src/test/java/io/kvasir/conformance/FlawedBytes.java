package io.kvasir.conformance;

import io.kvasir.api.store.Frame;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** The flaws that lie in bytes. */
final class FlawedBytes {
  private FlawedBytes() {}

  /** What goes wrong in a frame that was just loaded. */
  static void spoil(Flaw flaw, Frame frame) {
    MemorySegment payload = frame.payload();
    if (flaw == Flaw.FLIPS_A_BIT) {
      long at = payload.byteSize() - 1;
      payload.set(
          ValueLayout.JAVA_BYTE, at, (byte) (payload.get(ValueLayout.JAVA_BYTE, at) ^ 0x40));
    }
    if (flaw == Flaw.WRITES_LATE) {
      byte first = payload.get(ValueLayout.JAVA_BYTE, 0);
      Thread.ofVirtual()
          .start(
              () -> {
                if (ownerWrote(payload, first)) {
                  payload.set(ValueLayout.JAVA_BYTE, 0, first);
                }
              });
    }
  }

  /** What goes wrong when a frame is taken over. */
  static void keep(Flaw flaw, Frame frame, byte[] kept) {
    MemorySegment payload = frame.payload();
    if (flaw == Flaw.CHANGES_PAYLOAD) {
      payload.set(ValueLayout.JAVA_BYTE, 3, (byte) 0);
    }
    if (flaw == Flaw.KEEPS_FRAMES) {
      Thread.ofVirtual()
          .start(
              () -> {
                if (ownerWrote(payload, kept[0])) {
                  MemorySegment.copy(payload, ValueLayout.JAVA_BYTE, 0, kept, 0, kept.length);
                }
              });
    }
  }

  /** Waits for the frame's owner to use it again: what comes then is too late however fast. */
  private static boolean ownerWrote(MemorySegment payload, byte first) {
    for (int i = 0; i < 100 && payload.scope().isAlive(); i++) {
      if (payload.get(ValueLayout.JAVA_BYTE, 0) != first) {
        return true;
      }
      FlawedStore.pause(1);
    }
    return false;
  }
}
