package io.kvasir.cuda;

import io.kvasir.api.BlockMemory;
import io.kvasir.api.Deadline;
import io.kvasir.api.Fence;
import io.kvasir.api.PagedBlocks;
import io.kvasir.api.Region;
import io.kvasir.api.store.Landing;
import io.kvasir.api.store.StoreException;
import io.kvasir.api.store.StoreException.Kind;
import io.kvasir.api.store.TransferPath;
import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/** The path between a backend's frames and the memory of CUDA devices. Thread-safe. */
final class DevicePath implements TransferPath {
  private final Devices devices;
  private final MoverTable table;
  private final AtomicLong gathered = new AtomicLong();
  private final AtomicLong scattered = new AtomicLong();
  private volatile boolean closed;

  DevicePath(Devices devices, MoverTable table) {
    this.devices = devices;
    this.table = table;
  }

  @Override
  public boolean accepts(BlockMemory memory) {
    if (closed || !(memory instanceof PagedBlocks paged)) {
      return false;
    }
    String device = null;
    for (PagedBlocks.Plane plane : paged.planes()) {
      if (!(plane.region() instanceof Region.Device d)
          || (device != null && !device.equals(d.device()))) {
        return false;
      }
      device = d.device();
    }
    return device != null && devices.has(device);
  }

  @Override
  public void gather(
      BlockMemory from,
      int firstBlock,
      List<MemorySegment> payloads,
      Fence ready,
      Deadline deadline)
      throws StoreException {
    move(Job.Task.GATHER, (PagedBlocks) from, firstBlock, payloads, ready, deadline);
    gathered.addAndGet(payloads.stream().mapToLong(MemorySegment::byteSize).sum());
  }

  @Override
  public void scatter(
      List<MemorySegment> payloads, BlockMemory to, int firstBlock, Deadline deadline)
      throws StoreException {
    move(Job.Task.SCATTER, (PagedBlocks) to, firstBlock, payloads, Fence.none(), deadline);
    scattered.addAndGet(payloads.stream().mapToLong(MemorySegment::byteSize).sum());
  }

  @Override
  public Landing land(
      List<MemorySegment> payloads, BlockMemory to, int firstBlock, Deadline deadline)
      throws StoreException {
    Landing landing =
        move(Job.Task.LAND, (PagedBlocks) to, firstBlock, payloads, Fence.none(), deadline);
    scattered.addAndGet(payloads.stream().mapToLong(MemorySegment::byteSize).sum());
    return landing;
  }

  private Flight move(
      Job.Task task,
      PagedBlocks memory,
      int firstBlock,
      List<MemorySegment> payloads,
      Fence ready,
      Deadline deadline)
      throws StoreException {
    if (closed) {
      throw new StoreException(Kind.CLOSED, "the path is closed");
    }
    Region.Device region = (Region.Device) memory.planes().getFirst().region();
    Gpu gpu = devices.gpu(region.device());
    Shape shape = Shape.of(memory);
    int[] rows = new int[payloads.size()];
    for (int i = 0; i < rows.length; i++) {
      rows[i] = memory.row(firstBlock + i);
    }
    Set<Region.Device> regions = new HashSet<>();
    memory.planes().forEach(p -> regions.add((Region.Device) p.region()));
    Mover.Kind kind = gpu.mover(table, shape);
    Steps steps = task == Job.Task.LAND ? Steps.many(shape, kind) : Steps.all(shape);
    try {
      await(gpu, ready, deadline);
      Flight flight = gpu.start(new Job(task, kind, steps, regions, rows, payloads, deadline));
      if (task == Job.Task.LAND) {
        flight.awaitOrdered();
      } else {
        flight.awaitDone();
      }
      return flight;
    } catch (CudaException e) {
      gpu.failed(e);
      throw failure(gpu, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StoreException(Kind.IO, "interrupted while waiting for " + gpu.device(), e);
    }
  }

  private static void await(Gpu gpu, Fence ready, Deadline deadline)
      throws StoreException, CudaException, InterruptedException {
    boolean there =
        switch (ready) {
          case Fence.Ready _ -> true;
          case Fence.Event event -> gpu.events().await(event.handle(), deadline);
          case Fence.When when -> when.condition().await(deadline);
        };
    if (!there) {
      throw new StoreException(
          Kind.TIMEOUT, gpu.device() + ": the engine's bytes were not ready by the deadline");
    }
  }

  private static StoreException failure(Gpu gpu, CudaException e) {
    Kind kind =
        e.sticky()
            ? Kind.UNAVAILABLE
            : e.code() == CudaException.OUT_OF_MEMORY ? Kind.CAPACITY : Kind.IO;
    return new StoreException(kind, gpu.device() + ": " + e.getMessage(), e);
  }

  long gatheredBytes() {
    return gathered.get();
  }

  long scatteredBytes() {
    return scattered.get();
  }

  /** Takes no more blocks; what runs ends by itself. */
  void close() {
    closed = true;
  }
}
