package io.kvasir.core.connector;

import io.kvasir.api.BlockStatus;
import io.kvasir.api.identity.BlockKeys;
import io.kvasir.api.store.Blocks;
import io.kvasir.api.store.Frame;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Consecutive blocks that travel together: one call of the store, a frame each. */
final class Batch {
  final Span span;
  final int first;
  final BlockKeys keys;
  volatile FramePool.Loan loan;
  volatile boolean handed;

  /** How many use its frames: its transfer, and copies that go on. */
  final AtomicInteger users = new AtomicInteger(1);

  private volatile Blocks inStore;

  Batch(Span span, int first, BlockKeys keys) {
    this.span = span;
    this.first = first;
    this.keys = keys;
  }

  Part part() {
    return span.part;
  }

  BlockStatus status(int block) {
    return span.statuses[first - span.first + block];
  }

  /** Ends every block that has not ended. */
  void setAll(BlockStatus status) {
    for (int i = 0; i < count(); i++) {
      span.set(first + i, status);
    }
  }

  int count() {
    return keys.count();
  }

  long bytes() {
    return count() * part().payloadBytes();
  }

  /** {@return the position of the first token in the chain} */
  long position() {
    return (long) first * part().blockTokens();
  }

  /** {@return the batch as the store gets it} */
  Blocks handOut() {
    inStore = new Blocks(keys, loan.frames());
    return inStore;
  }

  /** {@return what the store got, or null} */
  Blocks handedOut() {
    return inStore;
  }

  List<MemorySegment> payloads(int from, int to) {
    List<MemorySegment> out = new ArrayList<>(to - from);
    for (Frame frame : loan.frames().subList(from, to)) {
      out.add(frame.payload());
    }
    return out;
  }

  /** {@return blocks of a span, from a chain index on, cut into batches} */
  static List<Batch> of(Span span, BlockKeys keys, int first, int most) {
    List<Batch> out = new ArrayList<>();
    for (int at = 0; at < keys.count(); at += most) {
      BlockKeys part = keys.slice(at, Math.min(keys.count(), at + most));
      out.add(new Batch(span, first + at, part));
    }
    return out;
  }
}
