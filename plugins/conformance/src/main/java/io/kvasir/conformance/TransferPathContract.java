package io.kvasir.conformance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kvasir.api.Deadline;
import io.kvasir.api.Fence;
import io.kvasir.api.PagedBlocks;
import io.kvasir.api.Region;
import io.kvasir.api.store.Landing;
import io.kvasir.api.store.StoreException;
import io.kvasir.api.store.TransferPath;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.Test;

/** What every transfer path keeps: R-PATH. Its tests give the path and the memory that it moves. */
@DisplayNameGeneration(RuleNames.class)
public abstract class TransferPathContract {
  private static final int ROWS = 12;

  private final Arena arena = Arena.ofShared();
  private final SplittableRandom random = Seed.random("transfer path");

  /** {@return the path under test} */
  protected abstract TransferPath path();

  /** {@return the memory that the path accepts} */
  protected abstract EngineMemory memory();

  /** {@return a region that the path does not accept} */
  protected abstract Region foreign();

  @AfterEach
  final void close() {
    arena.close();
  }

  /** A cache of planes with gaps, each in a region of its own. */
  private record Cache(List<PagedBlocks.Plane> planes, List<byte[]> images) {
    int payloadBytes() {
      return (int) planes.stream().mapToLong(PagedBlocks.Plane::bytes).sum();
    }

    /** {@return what a block of that row is: {@code [plane][piece]}} */
    byte[] payload(int row) {
      byte[] out = new byte[payloadBytes()];
      int at = 0;
      for (int p = 0; p < planes.size(); p++) {
        PagedBlocks.Plane plane = planes.get(p);
        for (int piece = 0; piece < plane.pieces(); piece++) {
          int bytes = (int) plane.pieceBytes();
          System.arraycopy(images.get(p), (int) plane.at(row, piece), out, at, bytes);
          at += bytes;
        }
      }
      return out;
    }

    /** Puts a payload where a scatter must put it. */
    void put(int row, byte[] payload) {
      int at = 0;
      for (int p = 0; p < planes.size(); p++) {
        PagedBlocks.Plane plane = planes.get(p);
        for (int piece = 0; piece < plane.pieces(); piece++) {
          int bytes = (int) plane.pieceBytes();
          System.arraycopy(payload, at, images.get(p), (int) plane.at(row, piece), bytes);
          at += bytes;
        }
      }
    }
  }

  /** A cache of some shape, filled with chance; piece sizes that no vector divides among them. */
  private Cache cache() {
    List<PagedBlocks.Plane> planes = new ArrayList<>();
    List<byte[]> images = new ArrayList<>();
    int[] sizes = {1, 7, 64, 100, 256, 1000};
    for (int p = 0; p < 1 + random.nextInt(4); p++) {
      int piece = sizes[random.nextInt(sizes.length)];
      int pieces = 1 + random.nextInt(3);
      int stride = piece + random.nextInt(2) * 24;
      int row = pieces * stride + random.nextInt(2) * 40;
      int offset = random.nextInt(2) * 48;
      byte[] image = Payload.bytes(offset + ROWS * row, random.nextLong());
      Region region = memory().allocate(image.length);
      memory().write(region, 0, image);
      planes.add(new PagedBlocks.Plane(region, offset, row, pieces, stride, piece));
      images.add(image);
    }
    return new Cache(planes, images);
  }

  private List<MemorySegment> payloads(int count, int bytes) {
    List<MemorySegment> out = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      out.add(arena.allocate(bytes, 64));
    }
    return out;
  }

  private int[] rows(int count) {
    List<Integer> all = new ArrayList<>();
    for (int r = 0; r < ROWS; r++) {
      all.add(random.nextInt(all.size() + 1), r);
    }
    return all.stream().limit(count).mapToInt(r -> r).toArray();
  }

  private static Deadline soon() {
    return Deadline.after(Duration.ofSeconds(10));
  }

  @Test
  @Rule("R-PATH-1")
  void gatherBringsEachBlockInPayloadOrder() throws StoreException {
    for (int turn = 0; turn < 20; turn++) {
      Cache cache = cache();
      int[] rows = rows(5);
      PagedBlocks blocks = new PagedBlocks(3, cache.planes(), rows);
      assertTrue(path().accepts(blocks));
      List<MemorySegment> payloads = payloads(4, cache.payloadBytes());
      path().gather(blocks, 4, payloads, memory().written(), soon());
      for (int i = 0; i < 4; i++) {
        assertArrayEquals(
            cache.payload(rows[i + 1]), payloads.get(i).toArray(ValueLayout.JAVA_BYTE));
      }
      unchanged(cache);
    }
  }

  @Test
  @Rule("R-PATH-2")
  void scatterWritesTheBlocksAndNothingBeside() throws StoreException {
    for (int turn = 0; turn < 20; turn++) {
      Cache cache = cache();
      int[] rows = rows(5);
      PagedBlocks blocks = new PagedBlocks(3, cache.planes(), rows);
      List<MemorySegment> payloads = payloads(3, cache.payloadBytes());
      memory().read(cache.planes().getFirst().region(), 0, 1); // the engine's writes are over
      for (int i = 0; i < 3; i++) {
        Payload.fill(payloads.get(i), turn * 100 + i);
        cache.put(rows[i + 2], Payload.bytes(cache.payloadBytes(), turn * 100 + i));
      }
      path().scatter(payloads, blocks, 5, soon());
      unchanged(cache);
    }
  }

  private void unchanged(Cache cache) {
    for (int p = 0; p < cache.planes().size(); p++) {
      unchanged(cache, p);
    }
  }

  private void unchanged(Cache cache, int plane) {
    byte[] image = cache.images().get(plane);
    Region region = cache.planes().get(plane).region();
    assertArrayEquals(image, memory().read(region, 0, image.length), "plane " + plane);
  }

  @Test
  @Rule("R-PATH-3")
  void memoryOfAnotherKindIsNotAccepted() {
    PagedBlocks.Plane own = cache().planes().getFirst();
    PagedBlocks.Plane other = PagedBlocks.Plane.of(foreign(), 0, 16);
    assertFalse(path().accepts(new PagedBlocks(0, List.of(other), new int[] {0})));
    assertFalse(path().accepts(new PagedBlocks(0, List.of(own, other), new int[] {0})));
  }

  @Test
  @Rule("R-PATH-4")
  void gatherWaitsForTheFence() throws Exception {
    Optional<Fence> held = memory().held();
    assumeTrue(held.isPresent(), "this memory has no fence that can be held back");
    Cache cache = cache();
    PagedBlocks blocks = new PagedBlocks(0, cache.planes(), rows(1));
    List<MemorySegment> payloads = payloads(1, cache.payloadBytes());
    payloads.getFirst().fill((byte) 0x11);
    StoreException e =
        assertThrows(
            StoreException.class,
            () ->
                path()
                    .gather(
                        blocks, 0, payloads, held.get(), Deadline.after(Duration.ofMillis(300))));
    assertEquals(StoreException.Kind.TIMEOUT, e.kind());
    memory().release();
    Thread.sleep(20); // a late copy would show in the payload
    payloads.getFirst().fill((byte) 0x22);
    Thread.sleep(20);
    assertEquals((byte) 0x22, payloads.getFirst().get(ValueLayout.JAVA_BYTE, 0));
    path().gather(blocks, 0, payloads, memory().written(), soon());
    assertArrayEquals(
        cache.payload(blocks.row(0)), payloads.getFirst().toArray(ValueLayout.JAVA_BYTE));
  }

  @Test
  @Rule("R-PATH-5")
  void payloadsAreNotTouchedOnceACallHasReturnedHoweverItEnded() throws Exception {
    List<MemorySegment> ours = new ArrayList<>();
    for (int turn = 0; turn < 30; turn++) {
      Cache cache = cache();
      PagedBlocks blocks = new PagedBlocks(0, cache.planes(), rows(8));
      List<MemorySegment> payloads = payloads(8, cache.payloadBytes());
      Deadline deadline = Deadline.after(Duration.ofNanos(1000L << turn % 12));
      try {
        path().gather(blocks, 0, payloads, memory().written(), deadline);
      } catch (StoreException e) {
        assertEquals(StoreException.Kind.TIMEOUT, e.kind());
      }
      payloads.forEach(p -> p.fill((byte) 0x33));
      ours.addAll(payloads);
      memory().read(cache.planes().getFirst().region(), 0, 1);
    }
    Thread.sleep(50); // the latest that a late copy may come
    for (MemorySegment payload : ours) {
      for (byte b : payload.toArray(ValueLayout.JAVA_BYTE)) {
        assertEquals((byte) 0x33, b);
      }
    }
  }

  @Test
  @Rule("R-PATH-6")
  void callsOfSeveralThreadsDoNotMix() {
    Crew crew = new Crew();
    for (int worker = 0; worker < 3; worker++) {
      Cache cache = cache();
      int[] rows = rows(6);
      PagedBlocks blocks = new PagedBlocks(0, cache.planes(), rows);
      List<MemorySegment> payloads = payloads(6, cache.payloadBytes());
      Fence written = memory().written();
      crew.start(
          "worker " + worker,
          () -> {
            for (int turn = 0; turn < 30; turn++) {
              path().gather(blocks, 0, payloads, written, soon());
              for (int i = 0; i < 6; i++) {
                assertArrayEquals(
                    cache.payload(rows[i]), payloads.get(i).toArray(ValueLayout.JAVA_BYTE));
              }
              path().scatter(payloads, blocks, 0, soon());
            }
          });
    }
    crew.join();
  }

  @Test
  @Rule("R-PATH-7")
  void landedPlanesAreThereForWhoeverWaitsForTheirEvents() throws Exception {
    for (int turn = 0; turn < 20; turn++) {
      Cache cache = cache();
      int[] rows = rows(6);
      PagedBlocks blocks = new PagedBlocks(3, cache.planes(), rows);
      List<MemorySegment> payloads = payloads(4, cache.payloadBytes());
      memory().read(cache.planes().getFirst().region(), 0, 1); // the engine's writes are over
      for (int i = 0; i < 4; i++) {
        Payload.fill(payloads.get(i), turn * 100 + i);
        cache.put(rows[i + 2], Payload.bytes(cache.payloadBytes(), turn * 100 + i));
      }
      Landing landing = path().land(payloads, blocks, 5, soon());
      CountDownLatch done = new CountDownLatch(1);
      landing.whenDone(done::countDown);
      for (int p = 0; p < cache.planes().size(); p++) {
        landing.events(p).forEach(memory()::await);
        unchanged(cache, p);
      }
      assertTrue(done.await(10, TimeUnit.SECONDS), "the landing is done");
      payloads.forEach(p -> p.fill((byte) 0x44)); // lent to somebody else
      Thread.sleep(1);
      unchanged(cache);
    }
  }
}
