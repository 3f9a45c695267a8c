package io.kvasir.conformance.engine;

import io.kvasir.api.BlockMemory;
import io.kvasir.api.Deadline;
import io.kvasir.api.Fence;
import io.kvasir.api.PagedBlocks;
import io.kvasir.api.store.Landing;
import io.kvasir.api.store.StoreException;
import io.kvasir.api.store.TransferPath;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;

/** A path with one flaw. */
final class FlawedPath implements TransferPath {
  /** How it is broken, and the rule that must notice. */
  enum Flaw {
    NONE(""),
    SWAPS_TWO_BYTES("R-PATH-1"),
    WRITES_THE_BLOCK_BEFORE("R-PATH-2"),
    LOOKS_AT_THE_FIRST_PLANE("R-PATH-3"),
    IGNORES_THE_FENCE("R-PATH-4"),
    COPIES_ONCE_MORE_LATER("R-PATH-5"),
    STAGES_ALL_IN_ONE_BUFFER("R-PATH-6"),
    LANDS_WITHOUT_EVENTS("R-PATH-7");

    final String rule;

    Flaw(String rule) {
      this.rule = rule;
    }
  }

  private final TransferPath path;
  private final Flaw flaw;
  private final byte[] staging = new byte[1 << 16];

  FlawedPath(TransferPath path, Flaw flaw) {
    this.path = path;
    this.flaw = flaw;
  }

  @Override
  public boolean accepts(BlockMemory memory) {
    if (flaw == Flaw.LOOKS_AT_THE_FIRST_PLANE && memory instanceof PagedBlocks paged) {
      return path.accepts(new PagedBlocks(0, paged.planes().subList(0, 1), new int[] {0}));
    }
    return path.accepts(memory);
  }

  @Override
  public void gather(
      BlockMemory from, int first, List<MemorySegment> payloads, Fence ready, Deadline deadline)
      throws StoreException {
    Fence fence = flaw == Flaw.IGNORES_THE_FENCE ? Fence.none() : ready;
    MemorySegment payload = payloads.getFirst();
    try {
      path.gather(from, first, payloads, fence, deadline);
    } finally {
      if (flaw == Flaw.COPIES_ONCE_MORE_LATER) {
        late(payload); // most of all where the deadline has passed
      }
    }
    switch (flaw) {
      case SWAPS_TWO_BYTES -> swap(payload);
      case STAGES_ALL_IN_ONE_BUFFER -> staged(payload);
      default -> {}
    }
  }

  private static void swap(MemorySegment payload) {
    long last = payload.byteSize() - 1;
    byte first = payload.get(ValueLayout.JAVA_BYTE, 0);
    payload.set(ValueLayout.JAVA_BYTE, 0, payload.get(ValueLayout.JAVA_BYTE, last));
    payload.set(ValueLayout.JAVA_BYTE, last, first);
  }

  /** Waits for the owner to use the payload again: what comes then is too late however fast. */
  private static void late(MemorySegment payload) {
    byte first = payload.get(ValueLayout.JAVA_BYTE, 0);
    Thread.ofVirtual()
        .start(
            () -> {
              for (int i = 0; i < 1000 && payload.scope().isAlive(); i++) {
                if (payload.get(ValueLayout.JAVA_BYTE, 0) != first) {
                  payload.set(ValueLayout.JAVA_BYTE, 0, first);
                  return;
                }
                LockSupport.parkNanos(100_000);
              }
            });
  }

  private void staged(MemorySegment payload) {
    int bytes = (int) payload.byteSize();
    MemorySegment.copy(payload, ValueLayout.JAVA_BYTE, 0, staging, 0, bytes);
    LockSupport.parkNanos(1_000_000);
    MemorySegment.copy(staging, 0, payload, ValueLayout.JAVA_BYTE, 0, bytes);
  }

  @Override
  public void scatter(List<MemorySegment> payloads, BlockMemory to, int first, Deadline deadline)
      throws StoreException {
    path.scatter(payloads, to, first, deadline);
    if (flaw == Flaw.WRITES_THE_BLOCK_BEFORE && first > to.firstBlock()) {
      path.scatter(payloads.subList(0, 1), to, first - 1, deadline);
    }
  }

  @Override
  public Landing land(List<MemorySegment> payloads, BlockMemory to, int first, Deadline deadline)
      throws StoreException {
    if (flaw != Flaw.LANDS_WITHOUT_EVENTS) {
      return path.land(payloads, to, first, deadline);
    }
    CompletableFuture<Void> done = new CompletableFuture<>();
    Thread.ofVirtual()
        .start(
            () -> {
              LockSupport.parkNanos(20_000_000);
              try {
                path.scatter(payloads, to, first, deadline);
                done.complete(null);
              } catch (StoreException e) {
                done.completeExceptionally(e);
              }
            });
    return new Landing() {
      @Override
      public List<Fence.Event> events(int plane) {
        return List.of();
      }

      @Override
      public void whenDone(Runnable action) {
        var _ = done.thenRun(action);
      }
    };
  }
}
