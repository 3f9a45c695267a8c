package io.kvasir.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.api.PagedBlocks;
import io.kvasir.api.Region;
import io.kvasir.api.store.DeviceMemory;
import io.kvasir.api.store.FrameSource;
import io.kvasir.cuda.Mover.Kind;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class MoverTableTest {
  private static final Region REGION = Region.device("cuda:0", 1L << 40, 1L << 36);

  private static Shape scattered(int planes, long pieceBytes) {
    List<PagedBlocks.Plane> list = new ArrayList<>();
    for (int p = 0; p < planes; p++) {
      list.add(PagedBlocks.Plane.of(REGION, 100L * p * pieceBytes, pieceBytes));
    }
    return Shape.of(new PagedBlocks(0, list, new int[] {0}));
  }

  private static Shape inOneRange(int planes, long pieceBytes) {
    List<PagedBlocks.Plane> list = new ArrayList<>();
    for (int p = 0; p < planes; p++) {
      list.add(
          new PagedBlocks.Plane(
              REGION, (long) p * pieceBytes, planes * pieceBytes, 1, pieceBytes, pieceBytes));
    }
    return Shape.of(new PagedBlocks(0, list, new int[] {0}));
  }

  @Test
  void aShapeKnowsWhetherItsBlocksAreOneRange() {
    assertTrue(inOneRange(4, 1000).contiguous());
    assertFalse(scattered(4, 1000).contiguous());
    assertTrue(scattered(1, 1000).contiguous());
    PagedBlocks.Plane heads = new PagedBlocks.Plane(REGION, 0, 4096, 4, 1024, 1024);
    PagedBlocks.Plane gaps = new PagedBlocks.Plane(REGION, 0, 4096, 4, 1024, 1000);
    assertTrue(Shape.of(new PagedBlocks(0, List.of(heads), new int[] {0})).contiguous());
    assertFalse(Shape.of(new PagedBlocks(0, List.of(gaps), new int[] {0})).contiguous());
    assertEquals(4, Shape.of(new PagedBlocks(0, List.of(gaps), new int[] {0})).pieces());
  }

  @Test
  void theFirstRowThatFitsCounts() {
    assertEquals(Kind.CONTIGUOUS, MoverTable.AUTO.choose(inOneRange(4, 1000), true, true));
    assertEquals(Kind.STAGED, MoverTable.AUTO.choose(scattered(64, 32 << 10), true, true));
    assertEquals(Kind.STAGED, MoverTable.AUTO.choose(scattered(2, 256), true, false));
    assertEquals(Kind.BATCH, MoverTable.AUTO.choose(scattered(64, 32 << 10), false, true));
    assertEquals(Kind.LOOP, MoverTable.AUTO.choose(scattered(160, 8 << 10), false, true));
    assertEquals(Kind.LOOP, MoverTable.AUTO.choose(scattered(64, 32 << 10), false, false));
  }

  @Test
  void aBlockThatNoBufferHoldsIsCopiedPieceByPiece() {
    assertEquals(Kind.BATCH, MoverTable.AUTO.choose(scattered(2, 20 << 20), true, true));
    assertEquals(Kind.LOOP, MoverTable.STAGED.choose(scattered(2, 20 << 20), true, false));
  }

  @Test
  void aChoiceGoesBeforeTheTableWhereItCanMoveTheBlocks() {
    assertEquals(Kind.LOOP, MoverTable.LOOP.choose(inOneRange(4, 1000), true, true));
    assertEquals(Kind.STAGED, MoverTable.STAGED.choose(inOneRange(4, 1000), true, true));
    assertEquals(Kind.BATCH, MoverTable.BATCH.choose(scattered(2, 256), true, true));
    assertEquals(Kind.STAGED, MoverTable.BATCH.choose(scattered(2, 256), true, false));
  }

  @Test
  void offAddsNothing() {
    DeviceMemory memory = Cuda.over(FrameSource.HOST, DeviceMemory.Way.OFF, Bench.LOG);
    assertEquals(FrameSource.HOST, memory.frames());
    assertTrue(memory.paths().isEmpty());
  }
}
