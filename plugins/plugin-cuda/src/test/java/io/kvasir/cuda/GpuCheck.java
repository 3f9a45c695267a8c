package io.kvasir.cuda;

import io.kvasir.api.Deadline;
import io.kvasir.api.Fence;
import io.kvasir.api.PagedBlocks;
import io.kvasir.api.Region;
import io.kvasir.api.store.FrameSource;
import io.kvasir.api.store.Landing;
import io.kvasir.api.store.StoreException;
import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;

/**
 * What {@code gpu-check} runs: every mover on a real driver, its bytes compared, and its speed
 * beside that of one plain copy of pinned memory. Uses no test library.
 */
final class GpuCheck {
  /**
   * Blocks of one geometry.
   *
   * @param pieces pieces of a block, a plane each
   * @param pieceBytes bytes of a piece
   */
  record Geometry(int pieces, int pieceBytes) {}

  private static final List<Geometry> GEOMETRIES =
      List.of(
          new Geometry(64, 4 << 10),
          new Geometry(160, 8 << 10),
          new Geometry(64, 32 << 10),
          new Geometry(64, 64 << 10),
          new Geometry(16, 256 << 10));

  private final Driver driver;
  private final PrintStream out;
  private final long bytes;
  private final Duration each;
  private boolean wrong;

  /**
   * Prepares a check.
   *
   * @param bytes what one round moves
   * @param each how long a speed is measured
   */
  GpuCheck(Driver driver, PrintStream out, long bytes, Duration each) {
    this.driver = driver;
    this.out = out;
    this.bytes = bytes;
    this.each = each;
  }

  public static void main(String[] arguments) throws Exception {
    Optional<SymbolLookup> symbols = Presence.driver(Bench.LOG);
    if (symbols.isEmpty()) {
      System.out.println(
          "gpu-check: no NVIDIA driver on this machine (libcuda.so.1): nothing was checked");
      System.exit(3);
    }
    boolean right = true;
    for (Driver driver :
        List.of(Presence.bind(symbols.get()), (Driver) new FfmDriver(symbols.get()))) {
      boolean first = driver instanceof JcudaDriver;
      Duration each = Duration.ofMillis(first ? 400 : 20);
      right &= new GpuCheck(driver, System.out, 256L << 20, each).run(GEOMETRIES);
    }
    System.out.println(right ? "gpu-check: all bytes are right" : "gpu-check: BYTES ARE WRONG");
    System.exit(right ? 0 : 1);
  }

  /** {@return whether every byte was right} */
  boolean run(List<Geometry> geometries) throws CudaException, StoreException {
    driver.init();
    if (driver.devices() == 0) {
      out.println("gpu-check: the driver has no device: nothing was checked");
      return false;
    }
    long context = driver.retainContext(0);
    driver.makeCurrent(context);
    out.printf(
        "%s, driver %d, %s, batch copy %s%n",
        driver.name(0),
        driver.version(),
        driver.getClass().getSimpleName(),
        driver.batches() ? "there" : "not there");
    double plainOut = plain(true);
    double plainIn = plain(false);
    out.printf("plain pinned copy: %.2f GB/s out, %.2f GB/s in%n", plainOut, plainIn);
    out.println("pieces   piece  mover        out GB/s  x plain   in GB/s  x plain  bytes");
    for (Geometry geometry : geometries) {
      for (MoverTable table : List.of(MoverTable.STAGED, MoverTable.BATCH, MoverTable.LOOP)) {
        line(geometry, table, false, plainOut, plainIn);
      }
      line(geometry, MoverTable.AUTO, true, plainOut, plainIn);
    }
    driver.releaseContext(0);
    return !wrong;
  }

  private interface Round {
    void run() throws CudaException, StoreException;
  }

  /** {@return GB/s of the median round} */
  private double speed(long moved, Round round) throws CudaException, StoreException {
    round.run();
    List<Double> rounds = new ArrayList<>();
    for (long begun = System.nanoTime();
        rounds.size() < 3 || System.nanoTime() - begun < each.toNanos(); ) {
      long start = System.nanoTime();
      round.run();
      rounds.add((double) moved / (System.nanoTime() - start));
    }
    rounds.sort(null);
    return rounds.get(rounds.size() / 2);
  }

  private double plain(boolean gather) throws CudaException, StoreException {
    long device = driver.allocate(bytes);
    long host = driver.allocateHost(bytes);
    long stream = driver.createStream();
    double speed =
        speed(
            bytes,
            () -> {
              if (gather) {
                driver.copyOut(host, device, bytes, stream);
              } else {
                driver.copyIn(device, host, bytes, stream);
              }
              driver.synchronize(stream);
            });
    driver.destroyStream(stream);
    driver.freeHost(host);
    driver.free(device);
    return speed;
  }

  private void line(
      Geometry geometry, MoverTable table, boolean oneRange, double plainOut, double plainIn)
      throws CudaException, StoreException {
    int blockBytes = geometry.pieces() * geometry.pieceBytes();
    int blocks = (int) Math.max(2, bytes / blockBytes);
    long cacheBytes = 2L * blocks * blockBytes;
    long device = driver.allocate(cacheBytes);
    List<PagedBlocks.Plane> planes = new ArrayList<>();
    Region region = new Region.Device("cuda:0", device, cacheBytes);
    for (int p = 0; p < geometry.pieces(); p++) {
      long offset = (oneRange ? p : 2L * blocks * p) * geometry.pieceBytes();
      long stride = oneRange ? blockBytes : geometry.pieceBytes();
      planes.add(
          new PagedBlocks.Plane(
              region, offset, stride, 1, geometry.pieceBytes(), geometry.pieceBytes()));
    }
    List<Integer> all = new ArrayList<>();
    for (int r = 0; r < 2 * blocks; r++) {
      all.add(r);
    }
    Collections.shuffle(all, new Random(blockBytes));
    int[] rows = all.stream().limit(blocks).mapToInt(r -> r).toArray();
    PagedBlocks memory = new PagedBlocks(0, planes, rows);
    try (Bench bench = new Bench(table, driver);
        Arena arena = Arena.ofShared()) {
      MemorySegment piece = arena.allocate((long) blocks * blockBytes, 1 << 21);
      FrameSource frames = bench.frames();
      frames.register(piece);
      List<MemorySegment> payloads = new ArrayList<>();
      for (int i = 0; i < blocks; i++) {
        payloads.add(piece.asSlice((long) i * blockBytes, blockBytes));
      }
      Deadline soon = Deadline.after(Duration.ofSeconds(30));
      boolean right =
          bench.path().accepts(memory)
              && bytesComeBack(bench, memory, payloads, piece, false)
              && bytesComeBack(bench, memory, payloads, piece, true);
      wrong |= !right;
      long moved = (long) blocks * blockBytes;
      double gather =
          speed(moved, () -> bench.path().gather(memory, 0, payloads, Fence.none(), soon));
      double scatter = speed(moved, () -> bench.path().scatter(payloads, memory, 0, soon));
      String mover = bench.devices().gpu("cuda:0").mover(table, Shape.of(memory)).name();
      out.printf(
          "%6d %5d KiB  %-10s %9.2f %8.3f %9.2f %8.3f  %s%n",
          geometry.pieces(),
          geometry.pieceBytes() >> 10,
          mover,
          gather,
          gather / plainOut,
          scatter,
          scatter / plainIn,
          right ? "right" : "WRONG");
      frames.unregister(piece);
    }
    driver.free(device);
  }

  /** {@return whether what was scattered is gathered again, and lies where it belongs} */
  private boolean bytesComeBack(
      Bench bench,
      PagedBlocks memory,
      List<MemorySegment> payloads,
      MemorySegment piece,
      boolean ahead)
      throws StoreException, CudaException {
    int seed = ahead ? 2 : 1;
    SplittableRandom random = new SplittableRandom(seed);
    for (long at = 0; at < piece.byteSize(); at += 8) {
      piece.set(ValueLayout.JAVA_LONG, at, random.nextLong());
    }
    byte[] first = payloads.getFirst().toArray(ValueLayout.JAVA_BYTE);
    byte[] last = payloads.getLast().toArray(ValueLayout.JAVA_BYTE);
    Deadline soon = Deadline.after(Duration.ofSeconds(30));
    if (ahead) {
      land(bench, memory, payloads, soon);
    } else {
      bench.path().scatter(payloads, memory, 0, soon);
    }
    piece.fill((byte) 0);
    bench.path().gather(memory, 0, payloads, Fence.none(), soon);
    random = new SplittableRandom(seed);
    for (long at = 0; at < piece.byteSize(); at += 8) {
      if (piece.get(ValueLayout.JAVA_LONG, at) != random.nextLong()) {
        return false;
      }
    }
    return Arrays.equals(first, plainly(memory, 0, first.length))
        && Arrays.equals(last, plainly(memory, memory.endBlock() - 1, last.length));
  }

  /** Loads ahead, and waits with a stream as an engine does. */
  private void land(
      Bench bench, PagedBlocks memory, List<MemorySegment> payloads, Deadline deadline)
      throws StoreException, CudaException {
    long stream = driver.createStream();
    CompletableFuture<Void> done = new CompletableFuture<>();
    Landing landing = bench.path().land(payloads, memory, 0, deadline);
    for (Fence.Event event : landing.events(memory.planes().size() - 1)) {
      driver.await(stream, event.handle());
    }
    driver.synchronize(stream);
    driver.destroyStream(stream);
    landing.whenDone(() -> done.complete(null));
    done.join();
  }

  /** {@return a block as single copies of the driver see it} */
  private byte[] plainly(PagedBlocks memory, int block, int size) throws CudaException {
    long stream = driver.createStream();
    long host = driver.allocateHost(size);
    long at = 0;
    for (PagedBlocks.Plane plane : memory.planes()) {
      long from = ((Region.Device) plane.region()).address() + plane.at(memory.row(block), 0);
      driver.copyOut(host + at, from, plane.pieceBytes(), stream);
      at += plane.pieceBytes();
    }
    driver.synchronize(stream);
    byte[] out = view(host, size).toArray(ValueLayout.JAVA_BYTE);
    driver.freeHost(host);
    driver.destroyStream(stream);
    return out;
  }

  @SuppressWarnings("restricted") // the driver gives addresses
  private static MemorySegment view(long address, long size) {
    return MemorySegment.ofAddress(address).reinterpret(size);
  }
}
