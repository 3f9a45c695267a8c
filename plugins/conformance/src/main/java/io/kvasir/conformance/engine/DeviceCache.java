package io.kvasir.conformance.engine;

import io.kvasir.api.Arrival;
import io.kvasir.api.Deadline;
import io.kvasir.api.Fence;
import io.kvasir.api.PagedBlocks;
import io.kvasir.api.Region;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A paged cache in the memory of a {@link FakeDevice}; the engine's kernels run on one stream. */
public final class DeviceCache implements PagedCache {
  private final CacheShape shape;
  private final FakeDevice device;
  private final Stream kernels;
  private final Region.Device region;
  private final List<PagedBlocks.Plane> planes;

  /** Creates a cache whose rows all hold the canary. */
  public DeviceCache(CacheShape shape, FakeDevice device) {
    this.shape = shape;
    this.device = device;
    this.kernels = device.stream("kernels");
    this.region = device.allocate((int) NativeCache.bytes(shape));
    this.planes = NativeCache.planes(shape, region);
  }

  @Override
  public CacheShape shape() {
    return shape;
  }

  @Override
  public PagedBlocks blocks(int firstBlock, int[] rows) {
    return new PagedBlocks(firstBlock, planes, rows);
  }

  @Override
  public void write(int row, byte[] block) {
    device.copyIn(kernels, pieces(row, block.clone()), new FakeDevice.Abandon());
  }

  @Override
  public byte[] read(int row) {
    byte[] block = new byte[shape.blockBytes()];
    read(pieces(row, block));
    return block;
  }

  private List<FakeDevice.Piece> pieces(int row, byte[] block) {
    List<FakeDevice.Piece> out = new ArrayList<>();
    MemorySegment host = MemorySegment.ofArray(block);
    long at = 0;
    for (PagedBlocks.Plane plane : planes) {
      for (int p = 0; p < plane.pieces(); p++) {
        long address = region.address() + plane.at(row, p);
        out.add(new FakeDevice.Piece(address, host.asSlice(at, plane.pieceBytes())));
        at += plane.pieceBytes();
      }
    }
    return out;
  }

  private void read(List<FakeDevice.Piece> pieces) {
    device.copyOut(kernels, pieces, new FakeDevice.Abandon());
    try {
      if (!device.await(device.record(kernels), Deadline.after(Duration.ofSeconds(30)))) {
        throw new AssertionError("the device hangs");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
  }

  @Override
  public Fence fence() {
    return Fence.event(device.record(kernels));
  }

  @Override
  public void await(Arrival arrival) {
    for (int plane = 0; plane < planes.size(); plane++) {
      arrival.events(0, 0, plane).forEach(event -> device.await(kernels, event.handle()));
    }
  }

  @Override
  public long strayBytes() {
    MemorySegment copy = MemorySegment.ofArray(new byte[(int) region.bytes()]);
    read(List.of(new FakeDevice.Piece(region.address(), copy)));
    return NativeCache.strayBytes(shape, copy, planes) + device.faults();
  }

  /** Nothing: the device ends its streams. */
  @Override
  public void close() {}
}
