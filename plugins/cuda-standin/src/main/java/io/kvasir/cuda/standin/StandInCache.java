package io.kvasir.cuda.standin;

import io.kvasir.api.Arrival;
import io.kvasir.api.Fence;
import io.kvasir.api.PagedBlocks;
import io.kvasir.api.Region;
import io.kvasir.conformance.engine.CacheShape;
import io.kvasir.conformance.engine.NativeCache;
import io.kvasir.conformance.engine.PagedCache;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** A paged cache in the memory of the stand-in; the engine's kernels run on one stream. */
public class StandInCache implements PagedCache {
  private final CacheShape shape;
  private final StandInGpu gpu;
  private final Region.Device region;
  private final List<PagedBlocks.Plane> planes;

  /** Creates a cache whose rows all hold the canary: fresh memory is poisoned. */
  public StandInCache(CacheShape shape, StandInGpu gpu) {
    this.shape = shape;
    this.gpu = gpu;
    this.region = gpu.allocate(NativeCache.bytes(shape));
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
    int at = 0;
    for (PagedBlocks.Plane plane : planes) {
      for (int p = 0; p < plane.pieces(); p++) {
        int bytes = (int) plane.pieceBytes();
        gpu.write(
            region.address() + plane.at(row, p),
            java.util.Arrays.copyOfRange(block, at, at + bytes));
        at += bytes;
      }
    }
  }

  @Override
  public byte[] read(int row) {
    gpu.synchronize(gpu.stream());
    byte[] block = new byte[shape.blockBytes()];
    int at = 0;
    for (PagedBlocks.Plane plane : planes) {
      for (int p = 0; p < plane.pieces(); p++) {
        int bytes = (int) plane.pieceBytes();
        byte[] piece = gpu.peek(region.address() + plane.at(row, p), bytes);
        System.arraycopy(piece, 0, block, at, bytes);
        at += bytes;
      }
    }
    return block;
  }

  @Override
  public Fence fence() {
    return Fence.event(gpu.record());
  }

  @Override
  public void await(Arrival arrival) {
    for (int plane = 0; plane < planes.size(); plane++) {
      for (Fence.Event event : arrival.events(0, 0, plane)) {
        gpu.await(gpu.stream(), event.handle());
      }
    }
  }

  @Override
  public long strayBytes() {
    byte[] all = gpu.read(region.address(), (int) region.bytes());
    return NativeCache.strayBytes(shape, MemorySegment.ofArray(all), planes);
  }

  @Override
  public void close() {
    gpu.free(region);
  }
}
