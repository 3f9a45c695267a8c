package io.kvasir.cuda;

import io.kvasir.api.Region;
import io.kvasir.api.store.StoreException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

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

  /**
   * Moves a job.
   *
   * @param free called when the lane may take another, before the job's end is told
   */
  void start(Flight flight, Runnable free) {
    thread.execute(() -> fly(flight, free));
  }

  private void fly(Flight flight, Runnable free) {
    Throwable failure = null;
    try {
      move(flight.job(), flight);
    } catch (CudaException e) {
      gpu.failed(e); // perhaps nobody else hears of it
      failure = e;
    } catch (StoreException | RuntimeException | Error e) {
      failure = e;
    }
    free.run();
    flight.done(failure);
  }

  private void move(Job job, Flight flight) throws StoreException, CudaException {
    if (!current) {
      gpu.makeCurrent();
      current = true;
    }
    for (Region.Device region : job.regions()) {
      gpu.regions().require(region);
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
        at += begin(slots[turn], flight, at);
      }
      flight.ordered();
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
  private int begin(Slot slot, Flight flight, int at) throws CudaException {
    Job job = flight.job();
    long room = Math.max(Slot.BYTES, StagedMover.stride(job.steps().bytes()));
    Mover.Kind kind = prepare(slot, job.kind(), room);
    int most = Math.min(kind.blocks(job.steps(), room), job.count() - at);
    long[] hosts = new long[most];
    long[] pins = new long[most];
    boolean pinned = true;
    for (int i = 0; i < most; i++) {
      hosts[i] = job.payloads().get(at + i).address();
      pins[i] = gpu.pinned(hosts[i], job.shape().payloadBytes());
      pinned &= pins[i] != Pieces.NONE;
    }
    if (pinned) {
      slot.prepare(0, 0);
      move(slot, flight, kind, chunk(job, at, hosts, pins));
      slot.mark(() -> {});
      return most;
    }
    long bytes = job.shape().payloadBytes();
    int count = (int) Math.min(most, Math.max(1, Slot.BYTES / bytes));
    slot.prepare(0, count * bytes);
    hosts = new long[count];
    pins = new long[count];
    Arrays.fill(pins, slot.slab().address());
    Arrays.setAll(hosts, i -> slot.slab().address() + i * bytes);
    if (job.task() != Job.Task.GATHER) {
      toSlab(slot, job, at, count);
    }
    move(slot, flight, kind, chunk(job, at, hosts, pins));
    slot.mark(job.task() == Job.Task.GATHER ? () -> fromSlab(slot, job, at, count) : () -> {});
    return count;
  }

  /** Makes the buffer that a mover needs. {@return it, or where there is no room, another} */
  private Mover.Kind prepare(Slot slot, Mover.Kind kind, long room) throws CudaException {
    if (kind != Mover.Kind.STAGED) {
      return kind;
    }
    try {
      slot.prepare(room, 0);
      return kind;
    } catch (CudaException e) {
      if (e.code() != CudaException.OUT_OF_MEMORY) {
        throw e;
      }
      gpu.warn("no memory for a buffer of %d bytes; pieces are copied one by one", room, e);
      return Mover.Kind.LOOP;
    }
  }

  private static Chunk chunk(Job job, int at, long[] hosts, long[] pins) {
    int[] rows = Arrays.copyOfRange(job.rows(), at, at + hosts.length);
    return new Chunk(job.shape(), rows, hosts, pins);
  }

  private static void move(Slot slot, Flight flight, Mover.Kind kind, Chunk chunk)
      throws CudaException {
    Job job = flight.job();
    if (job.task() == Job.Task.GATHER) {
      kind.mover().gather(chunk, slot);
      return;
    }
    Steps steps = job.steps();
    kind.mover().prepareScatter(chunk, slot);
    for (int step = 0; step < steps.count(); step++) {
      kind.mover().scatter(chunk, slot, steps.first(step), steps.first(step + 1));
      if (job.task() == Job.Task.LAND) {
        flight.add(step, slot.step(step));
      }
    }
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
