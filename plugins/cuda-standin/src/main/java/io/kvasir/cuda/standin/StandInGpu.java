package io.kvasir.cuda.standin;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.kvasir.api.Region;
import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * An engine on the stand-in: its memory, one stream of kernels, and events. Calls are made by the
 * caller's thread, on the device's context; thread-safe but for the order of its kernels.
 */
public final class StandInGpu implements AutoCloseable {
  /** The name of the device. */
  public static final String DEVICE = "cuda:0";

  private static final int EVENTS = 64;

  private final StandIn standIn;
  private final List<Long> memory = new ArrayList<>();
  private final Deque<Long> events = new ArrayDeque<>();
  private final long context;
  private final long stream;

  /** Opens the device as an engine does. */
  public StandInGpu(StandIn standIn) {
    this.standIn = standIn;
    good("cuInit", List.of(JAVA_INT, JAVA_INT), 0);
    this.context = made("cuDevicePrimaryCtxRetain", List.of(JAVA_INT, ADDRESS, JAVA_INT), 0);
    this.stream = createStream();
  }

  private void good(String name, List<MemoryLayout> layouts, Object... arguments) {
    int code = (int) standIn.call(name, layouts, arguments);
    if (code != 0) {
      throw new IllegalStateException(name + ": CUDA error " + code);
    }
  }

  private long made(String name, List<MemoryLayout> layouts, Object... arguments) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(JAVA_LONG);
      Object[] all = new Object[arguments.length + 1];
      all[0] = out;
      System.arraycopy(arguments, 0, all, 1, arguments.length);
      good(name, layouts, all);
      return out.get(JAVA_LONG, 0);
    }
  }

  private void enter() {
    good("cuCtxSetCurrent", List.of(JAVA_INT, JAVA_LONG), context);
  }

  /** {@return the raw handle of the engine's stream} */
  public long stream() {
    return stream;
  }

  /** {@return the raw handle of another stream} */
  public long createStream() {
    enter();
    return made("cuStreamCreate", List.of(JAVA_INT, ADDRESS, JAVA_INT), 1);
  }

  /** {@return new memory, poisoned} */
  public synchronized Region.Device allocate(long bytes) {
    enter();
    long address = made("cuMemAlloc_v2", List.of(JAVA_INT, ADDRESS, JAVA_LONG), bytes);
    memory.add(address);
    return new Region.Device(DEVICE, address, bytes);
  }

  /** Frees memory; the device then refuses to be sent there. */
  public synchronized void free(Region.Device region) {
    enter();
    memory.remove(region.address());
    good("cuMemFree_v2", List.of(JAVA_INT, JAVA_LONG), region.address());
  }

  /** Writes, as a kernel of the engine would: later, in the order of its stream. */
  public void write(long address, byte[] bytes) {
    enter();
    try (Arena arena = Arena.ofConfined()) {
      List<MemoryLayout> layouts = List.of(JAVA_INT, JAVA_LONG, ADDRESS, JAVA_LONG, JAVA_LONG);
      MemorySegment from = arena.allocateFrom(JAVA_BYTE, bytes);
      good("standin_write", layouts, address, from, (long) bytes.length, stream);
    }
  }

  /** {@return bytes as they are now} */
  public byte[] peek(long address, int bytes) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(bytes);
      List<MemoryLayout> layouts = List.of(JAVA_INT, ADDRESS, JAVA_LONG, JAVA_LONG);
      good("standin_read", layouts, out, address, (long) bytes);
      return out.toArray(JAVA_BYTE);
    }
  }

  /** {@return bytes as they are after all kernels before} */
  public byte[] read(long address, int bytes) {
    synchronize(stream);
    return peek(address, bytes);
  }

  /** Waits for all that a stream holds. */
  public void synchronize(long handle) {
    enter();
    good("cuStreamSynchronize", List.of(JAVA_INT, JAVA_LONG), handle);
  }

  /** {@return an event that is done when all kernels before are; used again after some time} */
  public synchronized long record() {
    return record(stream);
  }

  /** {@return an event of a stream} */
  public synchronized long record(long handle) {
    enter();
    long event =
        events.size() < EVENTS
            ? made("cuEventCreate", List.of(JAVA_INT, ADDRESS, JAVA_INT), 2)
            : events.removeFirst();
    events.addLast(event);
    good("cuEventRecord", List.of(JAVA_INT, JAVA_LONG, JAVA_LONG), event, handle);
    return event;
  }

  /** {@return an event that was never recorded} */
  public long createEvent() {
    enter();
    long event = made("cuEventCreate", List.of(JAVA_INT, ADDRESS, JAVA_INT), 2);
    synchronized (this) {
      events.addLast(event);
    }
    return event;
  }

  /** Lets a stream wait for an event. */
  public void await(long handle, long event) {
    enter();
    List<MemoryLayout> layouts = List.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT);
    good("cuStreamWaitEvent", layouts, handle, event, 0);
  }

  /** {@return whether an event is done} */
  public boolean done(long event) {
    enter();
    return (int) standIn.call("cuEventQuery", List.of(JAVA_INT, JAVA_LONG), event) == 0;
  }

  /** Stops a stream until it is {@linkplain #release released}. */
  public void hold(long handle) {
    standIn.call("standin_hold", voidOf(), handle);
  }

  /** Lets a stream go on. */
  public void release(long handle) {
    standIn.call("standin_release", voidOf(), handle);
  }

  private static List<MemoryLayout> voidOf() {
    List<MemoryLayout> layouts = new ArrayList<>();
    layouts.add(null);
    layouts.add(JAVA_LONG);
    return layouts;
  }

  /** Destroys a stream. */
  public void destroyStream(long handle) {
    enter();
    good("cuStreamDestroy_v2", List.of(JAVA_INT, JAVA_LONG), handle);
  }

  /** Gives everything back. */
  @Override
  public synchronized void close() {
    synchronize(stream);
    for (long address : memory) {
      good("cuMemFree_v2", List.of(JAVA_INT, JAVA_LONG), address);
    }
    for (long event : events) {
      good("cuEventDestroy_v2", List.of(JAVA_INT, JAVA_LONG), event);
    }
    destroyStream(stream);
    good("cuDevicePrimaryCtxRelease_v2", List.of(JAVA_INT, JAVA_INT), 0);
  }
}
