package io.kvasir.cuda;

import io.kvasir.api.Region;
import io.kvasir.api.store.StoreException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;

/**
 * A thread that moves one job at a time, in chunks, with two slots in turn: while one chunk is
 * copied, the next is handed over. Whatever happens, the job ends only when nothing of it is under
 * way on the device.
 */
final class Lane {
  private final Gpu gpu;
  private final CudaThread thread;
  private final Slot[] slots;
  private boolean current;
  private int turn;

  Lane(Gpu gpu, String name) {
    this.gpu = gpu;
    this.thread = new CudaThread(name);
    this.slots = new Slot[] {new Slot(gpu), new Slot(gpu)};
  }

  /** Moves a job; the caller waits for its end. */
  void run(Job job) throws StoreException, CudaException {
    Callable<Void> work =
        () -> {
          move(job);
          return null;
        };
    Future<Void> future = thread.submit(work);
    boolean interrupted = false;
    try {
      while (true) {
        try {
          future.get();
          return;
        } catch (InterruptedException e) {
          interrupted = true; // the memory is the caller's: it has to wait
        } catch (ExecutionException e) {
          switch (e.getCause()) {
            case StoreException s -> throw s;
            case CudaException c -> throw c;
            case RuntimeException r -> throw r;
            case Error r -> throw r;
            default -> throw new AssertionError(e.getCause());
          }
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private void move(Job job) throws StoreException, CudaException {
    if (!current) {
      gpu.makeCurrent();
      current = true;
    }
    for (Region.Device region : job.regions()) {
      gpu.require(region);
    }
    boolean whole = false;
    try {
      for (int at = 0; at < job.count(); ) {
        turn ^= 1;
        slots[turn].finish();
        if (job.deadline().expired()) {
          throw new StoreException(
              StoreException.Kind.TIMEOUT,
              "%d of %d blocks were moved by the deadline".formatted(at, job.count()));
        }
        at += begin(slots[turn], job, at);
      }
      slots[turn ^ 1].finish();
      slots[turn].finish();
      whole = true;
    } finally {
      if (!whole) {
        for (Slot slot : slots) {
          slot.drain();
        }
      }
    }
  }

  /** Hands a chunk over. {@return its blocks} */
  private int begin(Slot slot, Job job, int at) throws CudaException {
    Mover.Kind kind = job.kind();
    Shape shape = job.shape();
    long room = Math.max(Slot.BYTES, StagedMover.stride(shape));
    if (kind == Mover.Kind.STAGED) {
      try {
        slot.prepare(room, 0);
      } catch (CudaException e) {
        if (e.code() != CudaException.OUT_OF_MEMORY) {
          throw e;
        }
        gpu.warn("no memory for a buffer of %d bytes; pieces are copied one by one", room, e);
        kind = Mover.Kind.LOOP;
      }
    }
    int count = Math.min(kind.blocks(shape, room), job.count() - at);
    int[] rows = Arrays.copyOfRange(job.rows(), at, at + count);
    long[] hosts = new long[count];
    long[] pins = new long[count];
    boolean pinned = true;
    for (int i = 0; i < count; i++) {
      hosts[i] = job.payloads().get(at + i).address();
      pins[i] = gpu.pinned(hosts[i], shape.payloadBytes());
      pinned &= pins[i] != Pieces.NONE;
    }
    slot.prepare(0, pinned ? 0 : count * shape.payloadBytes());
    if (!pinned) {
      Arrays.fill(pins, slot.slab().address());
      for (int i = 0; i < count; i++) {
        hosts[i] = slot.slab().address() + i * shape.payloadBytes();
      }
    }
    Chunk chunk = new Chunk(shape, rows, hosts, pins);
    if (job.gather()) {
      kind.mover().gather(chunk, slot);
      slot.mark(pinned ? () -> {} : () -> fromSlab(slot, job, at, count));
    } else {
      if (!pinned) {
        toSlab(slot, job, at, count);
      }
      kind.mover().scatter(chunk, slot);
      slot.mark(() -> {});
    }
    return count;
  }

  private static void fromSlab(Slot slot, Job job, int at, int count) {
    long bytes = job.shape().payloadBytes();
    for (int i = 0; i < count; i++) {
      MemorySegment.copy(slot.slab(), i * bytes, job.payloads().get(at + i), 0, bytes);
    }
  }

  private static void toSlab(Slot slot, Job job, int at, int count) {
    long bytes = job.shape().payloadBytes();
    for (int i = 0; i < count; i++) {
      MemorySegment.copy(job.payloads().get(at + i), 0, slot.slab(), i * bytes, bytes);
    }
  }

  /** Gives everything back once the job that runs has ended. */
  void close() {
    try {
      thread.run(
          () -> {
            if (current) {
              for (Slot slot : slots) {
                slot.close();
              }
            }
          });
    } catch (CudaException e) {
      gpu.failed(e);
    }
    thread.close();
  }
}
