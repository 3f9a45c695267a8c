package io.kvasir.cuda;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvasir.api.Deadline;
import io.kvasir.api.Fence;
import io.kvasir.api.PagedBlocks;
import io.kvasir.api.store.StoreException;
import io.kvasir.conformance.Seed;
import io.kvasir.cuda.standin.StandIn;
import io.kvasir.cuda.standin.StandInGpu;
import java.time.Duration;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every mover moves blocks of every geometry, at once and with streams that take their time; the
 * bytes are those of a computation on the host that shares nothing with the path.
 */
class MoversTest {
  private static final boolean SOAK = Boolean.getBoolean("kvasir.soak");

  private final StandIn standIn = StandIn.load();
  private final SplittableRandom random = Seed.random("movers");

  @BeforeEach
  void clear() {
    standIn.delay(0);
  }

  @AfterEach
  void nothingIsLeft() {
    standIn.delay(0);
    standIn.version(12080);
    assertEquals(StandIn.NOTHING, standIn.live());
    assertEquals(0, standIn.count("faults"));
    assertEquals(0, standIn.count("unpinned"));
  }

  /**
   * Planes, bytes of a piece, blocks.
   *
   * @param planes K and V of each layer
   */
  record Geometry(int planes, int pieceBytes, int blocks) {}

  private static Stream<Arguments> all() {
    return Stream.of(
            new Geometry(2, 256, 9), // one layer
            new Geometry(7, 1000, 5), // nothing that a wide word divides
            new Geometry(3, 33, 6),
            new Geometry(64, 32 << 10, 6), // 8B at 16 tokens
            new Geometry(160, 8 << 10, 8)) // 70B at TP 4
        .flatMap(
            g ->
                Stream.of(MoverTable.values())
                    .flatMap(
                        m ->
                            Stream.of(0, 500)
                                .flatMap(
                                    delay ->
                                        Stream.of(true, false)
                                            .filter(pin -> pin || delay == 0 || SOAK)
                                            .map(pin -> Arguments.of(g, m, delay, pin)))));
  }

  @ParameterizedTest
  @MethodSource("all")
  void bytesAreThoseOfAComputationOnTheHost(
      Geometry geometry, MoverTable table, int delay, boolean pinned) throws StoreException {
    int blocks = delay > 0 ? Math.min(3, geometry.blocks()) : geometry.blocks();
    Random order = new Random(random.nextLong());
    try (StandInGpu gpu = new StandInGpu(standIn);
        Bench bench = new Bench(table)) {
      DeviceRows cache =
          DeviceRows.scattered(gpu, geometry.planes(), geometry.pieceBytes(), 2 * blocks, random);
      cycle(bench, cache, blocks, delay, pinned ? 4096 : 1, pinned, order);
    }
  }

  private static Stream<Arguments> ofOneRange() {
    return all()
        .filter(a -> a.get()[1] == MoverTable.AUTO || a.get()[1] == MoverTable.STAGED)
        .filter(a -> a.get()[3].equals(true));
  }

  @ParameterizedTest
  @MethodSource("ofOneRange")
  void blocksOfOneRangeArriveToo(Geometry geometry, MoverTable table, int delay, boolean pinned)
      throws StoreException {
    int blocks = Math.min(3, geometry.blocks());
    try (StandInGpu gpu = new StandInGpu(standIn);
        Bench bench = new Bench(table)) {
      DeviceRows cache =
          DeviceRows.contiguous(gpu, geometry.planes(), geometry.pieceBytes(), 2 * blocks, random);
      cycle(bench, cache, blocks, delay, 64, pinned, new Random(random.nextLong()));
    }
  }

  @ParameterizedTest
  @MethodSource("movers")
  void piecesWithGapsArriveToo(MoverTable table) throws StoreException {
    try (StandInGpu gpu = new StandInGpu(standIn);
        Bench bench = new Bench(table)) {
      DeviceRows cache = new DeviceRows(gpu, 40, random);
      cache.plane(8, 8 * 144 + 8, 8, 144, 128);
      cache.plane(0, 3 * 10, 3, 10, 7);
      cache.plane(48, 512, 2, 256, 256);
      cycle(bench, cache, 20, 0, 1, true, new Random(random.nextLong()));
    }
  }

  private static Stream<MoverTable> movers() {
    return Stream.of(MoverTable.values());
  }

  @ParameterizedTest
  @MethodSource("movers")
  void manyBlocksGoInChunks(MoverTable table) throws StoreException {
    try (StandInGpu gpu = new StandInGpu(standIn);
        Bench bench = new Bench(table)) {
      DeviceRows cache = DeviceRows.scattered(gpu, 2, 300 << 10, 64, random);
      cycle(bench, cache, 40, 0, 1, true, new Random(random.nextLong()));
    }
  }

  private void cycle(
      Bench bench,
      DeviceRows cache,
      int blocks,
      int delay,
      int alignment,
      boolean pinned,
      Random order)
      throws StoreException {
    int[] from = cache.anyRows(blocks);
    int[] to = cache.anyRows(blocks);
    try (HostFrames frames =
        new HostFrames(
            pinned ? bench.frames() : null, blocks, cache.payloadBytes(), alignment, order)) {
      standIn.delay(delay);
      Fence written = Fence.event(cache.gpu.record());
      PagedBlocks source = cache.blocks(from);
      assertTrue(bench.path().accepts(source));
      Deadline soon = Deadline.after(Duration.ofSeconds(30));
      bench.path().gather(source, 0, frames.payloads, written, soon);
      for (int i = 0; i < blocks; i++) {
        assertArrayEquals(cache.payload(from[i]), frames.bytes(i), "block " + i);
      }
      frames.check();
      byte[][] payloads = new byte[blocks][];
      for (int i = 0; i < blocks; i++) {
        payloads[i] = frames.bytes(blocks - 1 - i); // others than lie there
        cache.put(to[i], payloads[i]);
      }
      for (int i = 0; i < blocks; i++) {
        frames.payloads.get(i).copyFrom(java.lang.foreign.MemorySegment.ofArray(payloads[i]));
      }
      bench.path().scatter(frames.payloads, cache.blocks(to), 0, soon);
      standIn.delay(0);
      cache.check();
      frames.check();
    }
  }
}
