package io.kvasir.conformance.engine;

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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Moves blocks of a {@link FakeDevice}'s memory, by copies on a stream of its own. */
public final class FakeDevicePath implements TransferPath {
  private final FakeDevice device;
  private final Stream stream;

  /** Creates the path of a device. */
  public FakeDevicePath(FakeDevice device) {
    this.device = device;
    this.stream = device.stream("copies");
  }

  @Override
  public boolean accepts(BlockMemory memory) {
    return memory instanceof PagedBlocks paged
        && paged.planes().stream()
            .allMatch(
                p -> p.region() instanceof Region.Device d && d.device().equals(device.name()));
  }

  @Override
  public void gather(
      BlockMemory from,
      int firstBlock,
      List<MemorySegment> payloads,
      Fence ready,
      Deadline deadline)
      throws StoreException {
    await(ready, deadline);
    move(
        (PagedBlocks) from,
        firstBlock,
        payloads,
        deadline,
        (pieces, abandon) -> device.copyOut(stream, pieces, abandon));
  }

  @Override
  public void scatter(
      List<MemorySegment> payloads, BlockMemory to, int firstBlock, Deadline deadline)
      throws StoreException {
    move(
        (PagedBlocks) to,
        firstBlock,
        payloads,
        deadline,
        (pieces, abandon) -> device.copyIn(stream, pieces, abandon));
  }

  @Override
  public Landing land(
      List<MemorySegment> payloads, BlockMemory to, int firstBlock, Deadline deadline) {
    PagedBlocks memory = (PagedBlocks) to;
    List<Fence.Event> events = new ArrayList<>();
    for (int plane = 0; plane < memory.planes().size(); plane++) {
      List<FakeDevice.Piece> pieces = new ArrayList<>();
      for (int i = 0; i < payloads.size(); i++) {
        pieces.addAll(pieces(memory, plane, memory.row(firstBlock + i), payloads.get(i)));
      }
      device.copyIn(stream, pieces, new FakeDevice.Abandon());
      events.add(new Fence.Event(device.record(stream)));
    }
    CompletableFuture<Void> done = new CompletableFuture<>();
    stream.enqueue(() -> done.complete(null));
    return new Landing() {
      @Override
      public List<Fence.Event> events(int plane) {
        return List.of(events.get(plane));
      }

      @Override
      public void whenDone(Runnable action) {
        var _ = done.thenRun(action);
      }
    };
  }

  private interface Copy {
    void block(List<FakeDevice.Piece> pieces, FakeDevice.Abandon abandon);
  }

  private void move(
      PagedBlocks memory,
      int firstBlock,
      List<MemorySegment> payloads,
      Deadline deadline,
      Copy copy)
      throws StoreException {
    FakeDevice.Abandon abandon = new FakeDevice.Abandon();
    for (int i = 0; i < payloads.size(); i++) {
      copy.block(pieces(memory, memory.row(firstBlock + i), payloads.get(i)), abandon);
    }
    try {
      if (!device.await(device.record(stream), deadline)) {
        throw new StoreException(Kind.TIMEOUT, "the copies did not end by the deadline");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StoreException(Kind.IO, "interrupted while copying", e);
    } finally {
      abandon.now(); // nothing is touched from here on, however it ended
    }
  }

  /** {@return where the payload's pieces lie on the device: {@code [plane][piece]}} */
  private static List<FakeDevice.Piece> pieces(PagedBlocks memory, int row, MemorySegment block) {
    List<FakeDevice.Piece> out = new ArrayList<>();
    for (int plane = 0; plane < memory.planes().size(); plane++) {
      out.addAll(pieces(memory, plane, row, block));
    }
    return out;
  }

  private static List<FakeDevice.Piece> pieces(
      PagedBlocks memory, int index, int row, MemorySegment block) {
    PagedBlocks.Plane plane = memory.planes().get(index);
    long base = ((Region.Device) plane.region()).address();
    long at = memory.planes().subList(0, index).stream().mapToLong(PagedBlocks.Plane::bytes).sum();
    List<FakeDevice.Piece> out = new ArrayList<>();
    for (int p = 0; p < plane.pieces(); p++) {
      out.add(new FakeDevice.Piece(base + plane.at(row, p), block.asSlice(at, plane.pieceBytes())));
      at += plane.pieceBytes();
    }
    return out;
  }

  private void await(Fence fence, Deadline deadline) throws StoreException {
    try {
      boolean ready =
          switch (fence) {
            case Fence.Ready r -> true;
            case Fence.Event e -> device.await(e.handle(), deadline);
            case Fence.When w -> w.condition().await(deadline);
          };
      if (!ready) {
        throw new StoreException(Kind.TIMEOUT, "the engine's bytes were not ready in time");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StoreException(Kind.IO, "interrupted while waiting for the engine's bytes", e);
    }
  }
}
