package io.kvasir.examples.jlama;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.github.tjake.jlama.model.AbstractModel;
import com.github.tjake.jlama.model.ModelSupport;
import com.github.tjake.jlama.safetensors.DType;
import com.github.tjake.jlama.tensor.KvBufferCache;
import io.kvasir.examples.jlama.RandomLlama.Shape;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KvPagesTest {
  /**
   * One position of one layer takes 2 × 96 × 4 bytes, so that a page of 1 MiB holds 1365 positions:
   * no multiple of 16.
   */
  private static final Shape ODD_PAGES = new Shape(4096, 192, 256, 6, 3, 1, 288);

  private static final int ROWS_PER_PAGE = (1 << 20) / (2 * 96 * 4);
  private static final int BLOCK_ON_BOUNDARY = ROWS_PER_PAGE / 16;

  @TempDir static Path directory;
  private static AbstractModel model;
  private static KvBufferCache cache;

  @BeforeAll
  static void load() throws IOException {
    RandomLlama.write(directory, 1, ODD_PAGES);
    model = ModelSupport.loadModel(directory.toFile(), DType.F32, DType.F32);
    cache = new KvBufferCache(model);
  }

  @AfterAll
  static void close() {
    cache.close();
    model.close();
  }

  @Test
  void blockInsideAPageIsOneSegmentPerPlane() {
    try (KvPages pages = new KvPages(model, cache, 16)) {
      List<MemorySegment> block = pages.blocks(1).getFirst();
      assertEquals(List.of(16L * 96 * 4, 16L * 96 * 4), sizes(block));
    }
  }

  @Test
  void blockOnAPageBoundaryIsTwoSegmentsPerPlane() {
    int before = ROWS_PER_PAGE % 16;
    try (KvPages pages = new KvPages(model, cache, 16)) {
      List<MemorySegment> block = pages.blocks(BLOCK_ON_BOUNDARY + 1).getLast();
      long first = before * 96L * 4;
      long second = (16 - before) * 96L * 4;
      assertEquals(List.of(first, second, first, second), sizes(block));
    }
  }

  @Test
  void segmentsOfABlockHoldTheRowsOfItsTokensKeysFirst() {
    try (KvPages pages = new KvPages(model, cache, 16)) {
      pages.reserve(ROWS_PER_PAGE + 16);
      for (int position = 0; position < ROWS_PER_PAGE + 16; position++) {
        for (int column = 0; column < 96; column++) {
          float value = position * 100 + column;
          pages.buffer().getKeyTensorForPosition(0, position).set(value, 0, column);
          pages.buffer().getValTensorForPosition(0, position).set(-value, 0, column);
        }
      }
      float[] found = floats(pages.blocks(BLOCK_ON_BOUNDARY + 1).getLast());
      float[] expected = new float[2 * 16 * 96];
      for (int i = 0; i < 16 * 96; i++) {
        expected[i] = (BLOCK_ON_BOUNDARY * 16 + i / 96) * 100 + i % 96;
        expected[16 * 96 + i] = -expected[i];
      }
      assertArrayEquals(expected, found);
    }
  }

  @Test
  void segmentsAreViewsOfWhatJlamaReads() {
    try (KvPages pages = new KvPages(model, cache, 16)) {
      MemorySegment keys = pages.blocks(2).getLast().getFirst();
      keys.setAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, 96 + 5, 7.5f);
      assertEquals(7.5f, pages.buffer().getKeyTensorForPosition(0, 17).get(0, 5));
    }
  }

  @Test
  void segmentsLieOutsideTheHeap() {
    try (KvPages pages = new KvPages(model, cache, 16)) {
      assertTrue(pages.blocks(1).getFirst().stream().allMatch(MemorySegment::isNative));
    }
  }

  @Test
  void moreTokensThanTheContextAreRefused() {
    try (KvPages pages = new KvPages(model, cache, 16)) {
      IllegalArgumentException refused =
          assertThrows(IllegalArgumentException.class, () -> pages.reserve(4097));
      assertTrue(refused.getMessage().contains("context of 4096"), refused.getMessage());
    }
  }

  private static List<Long> sizes(List<MemorySegment> segments) {
    return segments.stream().map(MemorySegment::byteSize).toList();
  }

  private static float[] floats(List<MemorySegment> segments) {
    float[] all = new float[0];
    for (MemorySegment segment : segments) {
      float[] next = segment.toArray(ValueLayout.JAVA_FLOAT_UNALIGNED);
      int length = all.length;
      all = Arrays.copyOf(all, length + next.length);
      System.arraycopy(next, 0, all, length, next.length);
    }
    return all;
  }
}
