package io.kvasir.core.connector;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.api.BlockMemory;
import io.kvasir.api.Fence;
import io.kvasir.api.PagedBlocks;
import io.kvasir.api.Region;
import io.kvasir.api.SegmentBlocks;
import io.kvasir.api.store.StoreException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.api.Test;

final class HostPathTest {
  private final HostPath path = new HostPath();

  private static MemorySegment counted(int bytes) {
    MemorySegment out = Arena.ofAuto().allocate(bytes);
    for (int i = 0; i < bytes; i++) {
      out.set(ValueLayout.JAVA_BYTE, i, (byte) i);
    }
    return out;
  }

  private byte[] gathered(BlockMemory memory, int block, int bytes) throws StoreException {
    MemorySegment payload = Arena.ofAuto().allocate(bytes);
    path.gather(memory, block, List.of(payload), Fence.none(), Bench.soon());
    return payload.toArray(ValueLayout.JAVA_BYTE);
  }

  @Test
  void aPayloadIsPlaneByPlaneAndPieceByPiece() throws StoreException {
    MemorySegment cache = counted(96);
    Region region = Region.host(cache);
    PagedBlocks memory =
        new PagedBlocks(
            5,
            List.of(
                new PagedBlocks.Plane(region, 0, 16, 2, 8, 3),
                new PagedBlocks.Plane(region, 48, 16, 2, 2, 2)),
            new int[] {2, 0});
    assertArrayEquals(new byte[] {32, 33, 34, 40, 41, 42, 80, 81, 82, 83}, gathered(memory, 5, 10));
    assertArrayEquals(new byte[] {0, 1, 2, 8, 9, 10, 48, 49, 50, 51}, gathered(memory, 6, 10));
  }

  @Test
  void aScatterTouchesThePiecesAndNothingBetweenThem() {
    MemorySegment cache = Arena.ofAuto().allocate(32);
    cache.fill((byte) 9);
    PagedBlocks memory =
        new PagedBlocks(
            0, List.of(new PagedBlocks.Plane(Region.host(cache), 0, 16, 2, 8, 3)), new int[] {1});
    path.scatter(List.of(counted(6)), memory, 0, Bench.soon());
    byte[] expected = new byte[32];
    java.util.Arrays.fill(expected, (byte) 9);
    for (int i = 0; i < 3; i++) {
      expected[16 + i] = (byte) i;
      expected[24 + i] = (byte) (3 + i);
    }
    assertArrayEquals(expected, cache.toArray(ValueLayout.JAVA_BYTE));
  }

  @Test
  void segmentsOfAnyLengthMakeAPayloadInOrder() throws StoreException {
    SegmentBlocks memory =
        new SegmentBlocks(
            3,
            List.of(List.of(counted(2), counted(3)), List.of(counted(1), counted(0), counted(4))));
    assertArrayEquals(new byte[] {0, 1, 0, 1, 2}, gathered(memory, 3, 5));
    assertArrayEquals(new byte[] {0, 0, 1, 2, 3}, gathered(memory, 4, 5));
    path.scatter(List.of(counted(5)), memory, 4, Bench.soon());
    assertArrayEquals(new byte[] {0, 1, 2, 3, 4}, gathered(memory, 4, 5));
  }

  @Test
  void memoryOfADeviceAndItsEventsAreNotForThisPath() {
    Region device = Region.device("cuda:0", 64, 1024);
    assertFalse(
        path.accepts(
            new PagedBlocks(0, List.of(PagedBlocks.Plane.of(device, 0, 8)), new int[] {0})));
    assertTrue(path.accepts(SegmentBlocks.of(List.of())));
    StoreException e =
        assertThrows(
            StoreException.class,
            () ->
                path.gather(
                    SegmentBlocks.of(List.of()), 0, List.of(), Fence.event(3), Bench.soon()));
    assertEquals("event 3 of a device: memory of the host has no events", e.getMessage());
  }
}
