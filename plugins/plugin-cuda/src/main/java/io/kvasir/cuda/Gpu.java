package io.kvasir.cuda;

import io.kvasir.api.store.StoreException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * An open device: its primary context, the kernels, and the few platform threads that work with it.
 * Thread-safe.
 */
final class Gpu {
  /** How far a device has come. */
  enum State {
    /** Pieces of host memory are being pinned; what is not pinned yet goes through a slab. */
    PINNING,
    /** All pieces are pinned. */
    READY,
    /** The device answers every call with an error until the process is started again. */
    LOST
  }

  private static final int LANES = 2; // in each direction: one copies while one prepares

  private final Driver driver;
  private final int ordinal;
  private final Pieces pieces;
  private final Logger log;
  private final CudaThread chores;
  private final EventWatch events;
  private final BlockingQueue<Lane> gathers = new LinkedBlockingQueue<>();
  private final BlockingQueue<Lane> scatters = new LinkedBlockingQueue<>();
  private final Regions regions;
  private final Set<String> said = ConcurrentHashMap.newKeySet();
  private long context;
  private long module;
  private long gather;
  private long scatter;
  private boolean batches;
  private volatile CudaException lost;

  private Gpu(Driver driver, int ordinal, Pieces pieces, Logger log) {
    this.driver = driver;
    this.ordinal = ordinal;
    this.pieces = pieces;
    this.regions = new Regions(driver, ordinal);
    this.log = log;
    this.chores = new CudaThread(Integer.toString(ordinal));
    this.events = new EventWatch(this, ordinal + "-events");
    for (int i = 0; i < LANES; i++) {
      gathers.add(new Lane(this, ordinal + "-out-" + i));
      scatters.add(new Lane(this, ordinal + "-in-" + i));
    }
  }

  /** Opens a device, and begins to pin the pieces that are there in the background. */
  static Gpu open(Driver driver, int ordinal, Pieces pieces, Logger log) throws CudaException {
    Gpu gpu = new Gpu(driver, ordinal, pieces, log);
    boolean done = false;
    try {
      gpu.chores.run(gpu::begin);
      done = true;
    } finally {
      if (!done) {
        gpu.endThreads();
      }
    }
    pieces.list().forEach(gpu::pinLater);
    return gpu;
  }

  private void begin() throws CudaException {
    context = driver.retainContext(ordinal);
    boolean done = false;
    try {
      driver.makeCurrent(context);
      loadKernels();
      done = true;
    } finally {
      if (!done) {
        new Teardown().run(() -> driver.releaseContext(ordinal));
      }
    }
  }

  private void loadKernels() throws CudaException {
    batches = driver.batches();
    try {
      module = driver.load(ptx());
      gather = driver.function(module, "kvasir_gather");
      scatter = driver.function(module, "kvasir_scatter");
    } catch (CudaException e) {
      if (e.sticky()) {
        throw e;
      }
      warn("the driver does not take the kernels (%d); pieces are copied without them", 0, e);
      scatter = 0;
    }
  }

  private static String ptx() {
    try (InputStream in = Gpu.class.getResourceAsStream("kernels.ptx")) {
      return new String(in.readAllBytes(), StandardCharsets.US_ASCII);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  String device() {
    return "cuda:" + ordinal;
  }

  Driver driver() {
    return driver;
  }

  /** Makes the device's context that of the calling thread. */
  void makeCurrent() throws CudaException {
    driver.makeCurrent(context);
  }

  long gather() {
    return gather;
  }

  long scatter() {
    return scatter;
  }

  EventWatch events() {
    return events;
  }

  /** {@return the mover for blocks of a shape} */
  Mover.Kind mover(MoverTable table, Shape shape) {
    return table.choose(shape, scatter != 0, batches);
  }

  /**
   * Begins to move blocks.
   *
   * @throws StoreException {@code TIMEOUT} if no thread was free by the deadline
   */
  Flight start(Job job) throws StoreException, InterruptedException {
    BlockingQueue<Lane> lanes = job.task() == Job.Task.GATHER ? gathers : scatters;
    Lane lane = lanes.poll(Math.max(0, job.deadline().remainingNanos()), TimeUnit.NANOSECONDS);
    if (lane == null) {
      throw new StoreException(
          StoreException.Kind.TIMEOUT, device() + ": busy with other blocks until the deadline");
    }
    Flight flight = new Flight(job);
    lane.start(flight, () -> lanes.add(lane));
    return flight;
  }

  /** {@return which pinned piece holds a range, or {@link Pieces#NONE}; asked by a lane} */
  long pinned(long address, long bytes) throws CudaException {
    long piece = pieces.pinned(address, bytes);
    if (piece != Pieces.NONE) {
      return piece;
    }
    boolean pinned =
        driver.memoryType(address) == Driver.HOST
            && driver.memoryType(address + bytes - 1) == Driver.HOST;
    return pinned ? address : Pieces.NONE; // somebody else's: where it ends, nobody says
  }

  /** {@return what is known of the engine's memory} */
  Regions regions() {
    return regions;
  }

  /** Pins a piece, now. */
  void pin(Pieces.Piece piece) throws CudaException {
    chores.run(() -> piece.pin(driver));
  }

  private void pinLater(Pieces.Piece piece) {
    chores.execute(
        () -> {
          try {
            piece.pin(driver);
          } catch (CudaException e) {
            failed(e);
            warn("%d bytes of frames cannot be pinned and go through a slab", piece.bytes, e);
          }
        });
  }

  /** Unpins a piece, after which it may be freed. */
  void unpin(Pieces.Piece piece) throws CudaException {
    chores.run(() -> piece.unpin(driver));
  }

  State state() {
    return lost != null ? State.LOST : pieces.allPinned() ? State.READY : State.PINNING;
  }

  /** {@return what the device was lost by, or null} */
  CudaException lost() {
    return lost;
  }

  /** Notes a failure; a device that is lost stays so. */
  void failed(CudaException e) {
    regions.forget();
    if (e.sticky()) {
      lose(e);
    }
  }

  /** Gives the device up. */
  void lose(CudaException e) {
    if (lost == null) {
      lost = e;
      log.log(Level.ERROR, device() + " is lost; start the process again", e);
    }
  }

  /** Says something once. */
  void warn(String format, long number, CudaException cause) {
    if (said.add(format)) {
      log.log(Level.WARNING, device() + ": " + format.formatted(number), cause);
    }
  }

  /** Waits for the jobs that run, and gives everything back. */
  void close() {
    for (int i = 0; i < LANES; i++) {
      take(gathers).close();
      take(scatters).close();
    }
    Teardown teardown = new Teardown();
    teardown.run(
        () ->
            chores.run(
                () -> {
                  for (Pieces.Piece piece : pieces.list()) {
                    teardown.run(() -> piece.unpin(driver));
                  }
                  if (module != 0) {
                    teardown.run(() -> driver.unload(module));
                  }
                  teardown.run(() -> driver.releaseContext(ordinal));
                }));
    teardown.failure().ifPresent(e -> log.log(Level.WARNING, device() + ": closed badly", e));
    endThreads();
  }

  private static Lane take(BlockingQueue<Lane> lanes) {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return lanes.take();
        } catch (InterruptedException e) {
          interrupted = true; // its job has to end: the memory is somebody's
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private void endThreads() {
    events.close();
    chores.close();
    gathers.forEach(Lane::close);
    scatters.forEach(Lane::close);
  }
}
