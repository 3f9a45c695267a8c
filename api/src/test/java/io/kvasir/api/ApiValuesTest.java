package io.kvasir.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.api.store.Capabilities;
import io.kvasir.api.store.StoreDescriptor;
import io.kvasir.api.store.StoreException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

class ApiValuesTest {
  private static void refused(Class<? extends Exception> type, String message, Executable action) {
    assertEquals(message, assertThrows(type, action).getMessage());
  }

  @Test
  void sizesAreReadInBinaryUnits() {
    assertEquals(4096, ByteSize.parse("4096").bytes());
    assertEquals(64L << 20, ByteSize.parse("64 MiB").bytes());
    assertEquals(10L << 30, ByteSize.parse("10GiB").bytes());
    assertEquals("10 GiB", ByteSize.parse("10GiB").toString());
    assertEquals("1025 B", new ByteSize(1025).toString());
    assertEquals("0 B", new ByteSize(0).toString());
  }

  @Test
  void whatIsNoSizeIsRefused() {
    for (String text : List.of("ten", "", "10 GB", "-1", "1.5GiB", "10  GiB", "١٠")) {
      refused(
          IllegalArgumentException.class,
          "\"" + text + "\" is not a size; write a number of bytes or 10GiB",
          () -> ByteSize.parse(text));
    }
    refused(
        IllegalArgumentException.class,
        "\"9000000000 GiB\" is more than a 64-bit number of bytes",
        () -> ByteSize.parse("9000000000 GiB"));
  }

  @Test
  void aSpecificationNeedsAnEngineAndABlockSize() {
    refused(
        KvasirException.class,
        "engine: missing; name the engine, as in engine(\"jlama\")",
        () -> EngineSpec.builder().blockTokens(16).build());
    refused(
        KvasirException.class,
        "blockTokens: 0 is no block size; give the tokens of a block, as in blockTokens(16)",
        () -> EngineSpec.builder().engine("jlama").build());
    EngineSpec spec =
        EngineSpec.builder()
            .engine("jlama")
            .model(Path.of("models", "tiny", "..", "qwen"))
            .blockTokens(16)
            .setting("b", 2)
            .setting("a", 1)
            .build();
    assertEquals("qwen", spec.modelName());
    assertEquals("jlama", spec.resolver());
    assertEquals("{a=1, b=2}", spec.settings().toString());
  }

  @Test
  void everyRowOfABlockTableLiesInItsRegion() {
    Region region = Region.device("cuda:0", 0, 1000);
    PagedBlocks.Plane plane = PagedBlocks.Plane.of(region, 100, 300);
    int[] table = {2, 0};
    PagedBlocks blocks = new PagedBlocks(5, List.of(plane), table);
    table[0] = 9;
    assertEquals(2, blocks.row(5));
    assertEquals(7, blocks.endBlock());
    assertEquals(300, blocks.blockBytes(6));
    refused(
        KvasirException.class,
        "row 3 at 1000 … 1300 lies outside its region of 1000 bytes",
        () -> new PagedBlocks(0, List.of(plane), new int[] {3}));
    refused(
        KvasirException.class,
        "row -1 at -200 … 100 lies outside its region of 1000 bytes",
        () -> new PagedBlocks(0, List.of(plane), new int[] {-1}));
  }

  @Test
  void memoryOnTheHeapIsRefused() {
    MemorySegment heap = MemorySegment.ofArray(new byte[8]);
    refused(
        KvasirException.class, "a region on the heap; give native memory", () -> Region.host(heap));
    refused(
        KvasirException.class,
        "block memory on the heap; give native memory",
        () -> SegmentBlocks.of(List.of(List.of(heap))));
  }

  @Test
  void groupedMemoryHasAPartForEachGroupAndShard() {
    try (Arena arena = Arena.ofConfined()) {
      BlockMemory one = SegmentBlocks.of(List.of(List.of(arena.allocate(8)), List.of()));
      BlockMemory two = new SegmentBlocks(1, List.of(List.of(arena.allocate(4))));
      GroupedBlocks all =
          new GroupedBlocks(
              Map.of(new GroupedBlocks.Part(0, 0), one, new GroupedBlocks.Part(1, 0), two));
      assertEquals(one, all.part(0, 0));
      assertEquals(1, all.firstBlock());
      assertEquals(2, all.endBlock());
      assertEquals(4, all.blockBytes(1));
      assertTrue(
          assertThrows(KvasirException.class, () -> all.part(0, 1))
              .getMessage()
              .startsWith("no memory for group 0, shard 1 among "));
      refused(
          KvasirException.class,
          "grouped memory within grouped memory",
          () -> new GroupedBlocks(Map.of(new GroupedBlocks.Part(0, 0), all)));
    }
  }

  @Test
  void aDescriptorClaimsOnlyWhatItNames() {
    StoreDescriptor d = StoreDescriptor.named("shelf").persistent().policy("own").build();
    assertEquals(
        new Capabilities(true, false, false, false, false, false, false, false), d.capabilities());
    assertEquals(List.of("strict", "lmdeploy-v1", "own"), d.policies());
    refused(
        IllegalArgumentException.class,
        "store name \"Shelf\": write 1 to 32 of a-z, 0-9 and -, a letter first",
        () -> StoreDescriptor.named("Shelf").build());
  }

  @Test
  void onlyWhatMayPassByItselfIsTriedAgain() {
    assertTrue(new StoreException(StoreException.Kind.UNAVAILABLE, "x").retryable());
    assertFalse(new StoreException(StoreException.Kind.MISMATCH, "x").retryable());
    assertEquals(
        "this store does not support usage", StoreException.unsupported("usage").getMessage());
  }

  @Test
  void theEarlierOfTwoDeadlinesHolds() {
    Deadline soon = Deadline.after(Duration.ofSeconds(1));
    assertEquals(soon, soon.min(Deadline.never()));
    assertEquals(soon, Deadline.never().min(soon));
    assertTrue(Deadline.after(Duration.ofSeconds(-1)).expired());
    assertEquals(Duration.ZERO, Deadline.after(Duration.ofSeconds(-1)).remaining());
    assertFalse(Deadline.after(Duration.ofDays(1_000_000)).expired());
  }
}
