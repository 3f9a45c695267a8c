package io.kvasir.conformance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import io.kvasir.api.Deadline;
import io.kvasir.api.PagedBlocks;
import io.kvasir.api.Region;
import io.kvasir.api.store.StoreException;
import io.kvasir.api.store.TransferPath;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Takes blocks through an engine's memory on a device, by a store's own path: those of a test's
 * first few megabytes, as a stand-in for a device is slow. Thread-safe.
 */
final class DeviceDetour {
  private static final int PLANES = 4;
  private static final long MOST_BYTES = Boolean.getBoolean("kvasir.soak") ? 1L << 40 : 4L << 20;

  private final EngineMemory memory;
  private final ThreadLocal<Map<Integer, Region>> regions = ThreadLocal.withInitial(HashMap::new);

  private final AtomicLong moved = new AtomicLong();

  DeviceDetour(EngineMemory memory) {
    this.memory = memory;
  }

  private Region region(int bytes) {
    return regions.get().computeIfAbsent(bytes, memory::allocate);
  }

  /** {@return a block of that region, its planes in the opposite order of its payload's} */
  private static PagedBlocks block(Region region) {
    int planes = region.bytes() % PLANES == 0 ? PLANES : 1;
    long bytes = region.bytes() / planes;
    List<PagedBlocks.Plane> list = new ArrayList<>();
    for (int p = planes - 1; p >= 0; p--) {
      list.add(PagedBlocks.Plane.of(region, p * bytes, bytes));
    }
    return new PagedBlocks(0, list, new int[] {0});
  }

  /** Swaps a payload and what lies in the region. */
  private static byte[] turned(byte[] bytes) {
    byte[] out = new byte[bytes.length];
    int planes = bytes.length % PLANES == 0 ? PLANES : 1;
    int size = bytes.length / planes;
    for (int p = 0; p < planes; p++) {
      System.arraycopy(bytes, p * size, out, (planes - 1 - p) * size, size);
    }
    return out;
  }

  /** Fills a payload with the bytes of a number, out of the device; a closed store has no path. */
  void fill(List<TransferPath> paths, MemorySegment payload, long number) {
    int bytes = (int) payload.byteSize();
    if (moved.get() > MOST_BYTES) {
      Payload.fill(payload, number);
      return;
    }
    Region region = region(bytes);
    memory.write(region, 0, turned(Payload.bytes(bytes, number)));
    boolean arrived =
        move(
            paths,
            region,
            (path, block) -> path.gather(block, 0, List.of(payload), memory.written(), soon()));
    if (!arrived) {
      Payload.fill(payload, number);
    }
  }

  /** Fails unless a payload arrives on the device as it is. */
  void check(List<TransferPath> paths, MemorySegment payload) {
    int bytes = (int) payload.byteSize();
    if (moved.get() > MOST_BYTES) {
      return;
    }
    Region region = region(bytes);
    memory.write(region, 0, new byte[bytes]);
    memory.read(region, 0, 1); // it is there before the path writes
    if (move(paths, region, (path, block) -> path.scatter(List.of(payload), block, 0, soon()))) {
      assertArrayEquals(
          payload.toArray(ValueLayout.JAVA_BYTE), turned(memory.read(region, 0, bytes)));
    }
  }

  private interface Move {
    void by(TransferPath path, PagedBlocks block) throws StoreException;
  }

  /** {@return whether a block was moved; false only of a store that is being closed} */
  private boolean move(List<TransferPath> paths, Region region, Move move) {
    moved.addAndGet(region.bytes());
    PagedBlocks block = block(region);
    for (TransferPath path : paths) {
      if (path.accepts(block)) {
        try {
          move.by(path, block);
          return true;
        } catch (StoreException e) {
          if (e.kind() != StoreException.Kind.CLOSED) {
            throw new AssertionError("a block did not get over", e);
          }
        }
      }
    }
    if (paths.isEmpty()) {
      throw new AssertionError("the store has no path to " + region);
    }
    return false;
  }

  private static Deadline soon() {
    return Deadline.after(Duration.ofSeconds(10));
  }
}
