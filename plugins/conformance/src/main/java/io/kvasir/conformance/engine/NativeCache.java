package io.kvasir.conformance.engine;

import io.kvasir.api.Fence;
import io.kvasir.api.PagedBlocks;
import io.kvasir.api.Region;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/**
 * A paged cache in native memory. Between the pieces of a row, and between rows, lie bytes that
 * belong to nobody.
 */
public final class NativeCache implements PagedCache {
  private static final int GAP = 8;

  private final CacheShape shape;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment memory;
  private final List<PagedBlocks.Plane> planes;
  private long fences;

  /** Creates a cache whose rows all hold the canary. */
  public NativeCache(CacheShape shape) {
    this.shape = shape;
    this.planes = new ArrayList<>();
    this.memory = arena.allocate(bytes(shape), 64);
    memory.fill(CANARY);
    planes.addAll(planes(shape, Region.host(memory)));
  }

  /** {@return the bytes that a cache of that shape takes} */
  public static long bytes(CacheShape shape) {
    return (long) shape.planes() * shape.rows() * rowStride(shape) + GAP;
  }

  private static long rowStride(CacheShape shape) {
    return (long) shape.heads() * (shape.pieceBytes() + GAP) + GAP;
  }

  /** {@return planes one behind the other, with gaps} */
  public static List<PagedBlocks.Plane> planes(CacheShape shape, Region region) {
    List<PagedBlocks.Plane> out = new ArrayList<>();
    for (int p = 0; p < shape.planes(); p++) {
      out.add(
          new PagedBlocks.Plane(
              region,
              GAP + (long) p * shape.rows() * rowStride(shape),
              rowStride(shape),
              shape.heads(),
              shape.pieceBytes() + GAP,
              shape.pieceBytes()));
    }
    return out;
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
        MemorySegment.copy(block, at, memory, ValueLayout.JAVA_BYTE, plane.at(row, p), bytes);
        at += bytes;
      }
    }
  }

  @Override
  public byte[] read(int row) {
    byte[] block = new byte[shape.blockBytes()];
    int at = 0;
    for (PagedBlocks.Plane plane : planes) {
      for (int p = 0; p < plane.pieces(); p++) {
        int bytes = (int) plane.pieceBytes();
        MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, plane.at(row, p), block, at, bytes);
        at += bytes;
      }
    }
    return block;
  }

  /** {@return a fence of bytes that are there: each second time as a condition} */
  @Override
  public Fence fence() {
    return fences++ % 2 == 0 ? Fence.none() : Fence.when(deadline -> true);
  }

  @Override
  public long strayBytes() {
    return strayBytes(shape, memory, planes);
  }

  /**
   * {@return how many bytes of such a cache, given as a copy, lie outside its rows and are written}
   */
  public static long strayBytes(
      CacheShape shape, MemorySegment memory, List<PagedBlocks.Plane> planes) {
    boolean[] owned = new boolean[(int) memory.byteSize()];
    for (PagedBlocks.Plane plane : planes) {
      for (int row = 0; row < shape.rows(); row++) {
        for (int p = 0; p < plane.pieces(); p++) {
          int at = (int) plane.at(row, p);
          java.util.Arrays.fill(owned, at, at + (int) plane.pieceBytes(), true);
        }
      }
    }
    long stray = 0;
    for (int i = 0; i < owned.length; i++) {
      stray += !owned[i] && memory.get(ValueLayout.JAVA_BYTE, i) != CANARY ? 1 : 0;
    }
    return stray;
  }

  @Override
  public void close() {
    arena.close();
  }
}
