package io.kvasir.cuda;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * What one chunk of blocks needs on its way: a stream and its event, a buffer of the device, a slab
 * of pinned memory, and a table for the kernels; each made when it is first needed and kept. Used
 * by the thread of its {@link Lane} alone.
 */
final class Slot {
  /** Bytes that are moved between two looks at the deadline, unless a block is larger. */
  static final long BYTES = 8L << 20;

  private static final long SPIN = TimeUnit.MICROSECONDS.toNanos(20);
  private static final long LONGEST_NAP = TimeUnit.MICROSECONDS.toNanos(100);

  private final Gpu gpu;
  private final Driver driver;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment parameters = arena.allocate(8 * 8L, 8);
  private long stream;
  private long event;
  private final List<Long> steps = new ArrayList<>(); // events for engines
  private long buffer;
  private long bufferBytes;
  private MemorySegment slab = MemorySegment.NULL;
  private MemorySegment table = MemorySegment.NULL;
  private long deviceTable;
  private long deviceTableBytes;
  private Runnable then; // what is left to do once the stream has come so far

  Slot(Gpu gpu) {
    this.gpu = gpu;
    this.driver = gpu.driver();
  }

  Gpu gpu() {
    return gpu;
  }

  Driver driver() {
    return driver;
  }

  long stream() {
    return stream;
  }

  long buffer() {
    return buffer;
  }

  MemorySegment slab() {
    return slab;
  }

  /** Makes what is missing: the buffer of at least so many bytes, the slab likewise; 0 for none. */
  void prepare(long inBuffer, long inSlab) throws CudaException {
    if (stream == 0) {
      stream = driver.createStream();
    }
    if (event == 0) {
      event = driver.createEvent();
    }
    if (inBuffer > bufferBytes) {
      long old = buffer;
      buffer = bufferBytes = 0;
      if (old != 0) {
        driver.free(old);
      }
      buffer = driver.allocate(inBuffer);
      bufferBytes = inBuffer;
    }
    if (inSlab > slab.byteSize()) {
      MemorySegment old = slab;
      slab = MemorySegment.NULL;
      freeHost(old);
      slab = allocateHost(inSlab);
    }
  }

  @SuppressWarnings("restricted") // the driver gives addresses
  private MemorySegment allocateHost(long bytes) throws CudaException {
    return MemorySegment.ofAddress(driver.allocateHost(bytes)).reinterpret(bytes);
  }

  private void freeHost(MemorySegment memory) throws CudaException {
    if (memory.byteSize() > 0) {
      driver.freeHost(memory.address());
    }
  }

  /** Makes both tables; one that was made stays for the next time where the other fails. */
  private void prepareTable(long bytes) throws CudaException {
    if (bytes > table.byteSize()) {
      MemorySegment old = table;
      table = MemorySegment.NULL;
      freeHost(old);
      table = allocateHost(bytes);
    }
    if (bytes > deviceTableBytes) {
      long old = deviceTable;
      deviceTable = deviceTableBytes = 0;
      if (old != 0) {
        driver.free(old);
      }
      deviceTable = driver.allocate(bytes);
      deviceTableBytes = bytes;
    }
  }

  /** Sends the table of {@code kernels.cu} to the device; before the mark, once. */
  void sendTable(Chunk chunk) throws CudaException {
    long[] words = chunk.shape().words();
    long bytes = (words.length + (long) chunk.count()) * Long.BYTES;
    prepareTable(Math.max(bytes, 16 << 10));
    MemorySegment.copy(words, 0, table, ValueLayout.JAVA_LONG, 0, words.length);
    for (int i = 0; i < chunk.count(); i++) {
      table.setAtIndex(ValueLayout.JAVA_LONG, words.length + i, chunk.rows()[i]);
    }
    driver.copyIn(deviceTable, table.address(), bytes, stream);
  }

  /**
   * Launches a kernel over the table that was sent and the buffer. It is told of the planes before
   * the first by addresses that lie as much before, and sees the others alone.
   */
  void launch(
      long function, int x, int y, int z, int threads, Shape shape, int first, long blockStride)
      throws CudaException {
    long[] values = {
      deviceTable + (long) first * Shape.WORDS * Long.BYTES,
      shape.planes() - first,
      buffer - shape.place(first),
      blockStride
    };
    for (int i = 0; i < values.length; i++) {
      parameters.setAtIndex(ValueLayout.JAVA_LONG, i, parameters.address() + (4 + i) * 8L);
      parameters.setAtIndex(ValueLayout.JAVA_LONG, 4 + i, values[i]);
    }
    driver.launch(function, x, y, z, threads, parameters.address(), stream);
  }

  /**
   * {@return the event of a step, recorded behind what was handed to the stream: always on this
   * one, so that what it was recorded for before is done, too, when it is}
   */
  long step(int step) throws CudaException {
    while (steps.size() <= step) {
      steps.add(driver.createEvent());
    }
    driver.record(steps.get(step), stream);
    return steps.get(step);
  }

  /** Marks the end of what was handed to the stream, and what is to be done behind it. */
  void mark(Runnable then) throws CudaException {
    driver.record(event, stream);
    this.then = then;
  }

  /** Waits until the stream has come to the mark, and does what was left to do. */
  void finish() throws CudaException {
    Runnable rest = then;
    if (rest != null) {
      then = null;
      await();
      rest.run();
    }
  }

  /**
   * Waits until nothing that was handed to the stream is under way. A device that cannot say so
   * counts as lost.
   */
  void drain() {
    then = null;
    if (stream != 0) {
      try {
        driver.synchronize(stream);
      } catch (CudaException e) {
        gpu.lose(e);
      }
    }
  }

  private void await() throws CudaException {
    long begun = System.nanoTime();
    while (!driver.done(event)) {
      long waited = System.nanoTime() - begun;
      if (waited < SPIN) {
        Thread.onSpinWait();
      } else {
        LockSupport.parkNanos(this, Math.min(waited / 8, LONGEST_NAP));
      }
    }
  }

  /** Gives everything back. */
  void close() throws CudaException {
    Teardown teardown = new Teardown();
    if (stream != 0) {
      teardown.run(() -> driver.destroyStream(stream));
    }
    if (event != 0) {
      teardown.run(() -> driver.destroyEvent(event));
    }
    for (long step : steps) {
      teardown.run(() -> driver.destroyEvent(step));
    }
    for (long address : new long[] {buffer, deviceTable}) {
      if (address != 0) {
        teardown.run(() -> driver.free(address));
      }
    }
    for (MemorySegment host : new MemorySegment[] {slab, table}) {
      teardown.run(() -> freeHost(host));
    }
    arena.close();
    if (teardown.failure().isPresent()) {
      throw teardown.failure().get();
    }
  }
}
