package io.kvasir.conformance.engine;

import io.kvasir.api.Deadline;
import io.kvasir.api.Region;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A device whose memory only itself can reach. Copies are asynchronous and in the order of their
 * {@link Stream}; {@linkplain #record events} tell when they are done. What was never written, or
 * was freed, reads as {@code 0xCD}. Thread-safe.
 */
public final class FakeDevice implements AutoCloseable {
  /** What unwritten memory holds. */
  public static final byte POISON = (byte) 0xCD;

  private static final long BASE = 0x7f00_0000_0000L; // no address of the host's

  private final String name;
  private final Duration delay;
  private final byte[] memory;
  private final List<Region.Device> regions = new ArrayList<>();
  private final List<Stream> streams = new ArrayList<>();
  private final Map<Long, CountDownLatch> pending = new ConcurrentHashMap<>();
  private final AtomicLong nextEvent = new AtomicLong();
  private final AtomicLong faults = new AtomicLong();
  private int allocated;

  /**
   * Creates a device.
   *
   * @param name such as {@code fake:0}
   * @param bytes size of its memory
   * @param delay what each copy takes beside the copying
   */
  public FakeDevice(String name, int bytes, Duration delay) {
    this.name = name;
    this.delay = delay;
    this.memory = new byte[bytes];
    java.util.Arrays.fill(memory, POISON);
  }

  /** {@return the name} */
  public String name() {
    return name;
  }

  /** {@return new memory, poisoned} */
  public synchronized Region.Device allocate(int bytes) {
    if (allocated + bytes > memory.length) {
      throw new IllegalStateException(
          "%s: %d of %d bytes are left, not %d"
              .formatted(name, memory.length - allocated, memory.length, bytes));
    }
    Region.Device region = new Region.Device(name, BASE + allocated, bytes);
    allocated += bytes;
    regions.add(region);
    return region;
  }

  /** {@return a new stream with a thread of its own} */
  public synchronized Stream stream(String purpose) {
    Stream stream = new Stream(name + " " + purpose, delay);
    streams.add(stream);
    return stream;
  }

  /**
   * A piece of a copy.
   *
   * @param address where it lies on the device
   * @param host where it lies on the host
   */
  public record Piece(long address, MemorySegment host) {}

  /** Copies to the device, later: the host's bytes are read when the stream gets there. */
  public void copyIn(Stream stream, List<Piece> pieces, Abandon abandon) {
    copy(stream, pieces, abandon, true);
  }

  /** Copies from the device, later. */
  public void copyOut(Stream stream, List<Piece> pieces, Abandon abandon) {
    copy(stream, pieces, abandon, false);
  }

  private void copy(Stream stream, List<Piece> pieces, Abandon abandon, boolean in) {
    stream.enqueue(() -> abandon.unless(() -> pieces.forEach(piece -> copy(piece, in))));
  }

  private void copy(Piece piece, boolean in) {
    long bytes = piece.host().byteSize();
    int at = at(piece.address(), bytes);
    if (at < 0) {
      return;
    }
    MemorySegment here = MemorySegment.ofArray(memory).asSlice(at, bytes);
    synchronized (memory) {
      if (in) {
        here.copyFrom(piece.host());
      } else {
        piece.host().copyFrom(here);
      }
    }
  }

  private int at(long address, long bytes) {
    long at = address - BASE;
    if (at < 0 || at + bytes > allocated) {
      faults.incrementAndGet();
      return -1;
    }
    return (int) at;
  }

  /** {@return an event that is done when all before it on the stream is} */
  public long record(Stream stream) {
    long event = nextEvent.incrementAndGet();
    CountDownLatch latch = new CountDownLatch(1);
    pending.put(event, latch);
    stream.enqueue(
        () -> {
          pending.remove(event);
          latch.countDown();
        });
    return event;
  }

  /** Lets a stream wait for an event. */
  public void await(Stream stream, long event) {
    stream.enqueue(
        () -> {
          try {
            await(event, Deadline.after(Duration.ofSeconds(30)));
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
  }

  /** {@return whether the event is done; false once the deadline has passed} */
  public boolean await(long event, Deadline deadline) throws InterruptedException {
    CountDownLatch latch = pending.get(event);
    return latch == null || latch.await(deadline.remainingNanos(), TimeUnit.NANOSECONDS);
  }

  /** {@return the number of accesses outside allocated memory; they do nothing else} */
  public long faults() {
    return faults.get();
  }

  /** Ends the streams. */
  @Override
  public synchronized void close() {
    streams.forEach(Stream::close);
  }

  /** Lets a caller give a copy up: once {@link #now} returned nothing of it is touched. */
  public static final class Abandon {
    private boolean abandoned;

    /** Not given up. */
    public Abandon() {}

    /** Gives it up. */
    public synchronized void now() {
      abandoned = true;
    }

    private synchronized void unless(Runnable copy) {
      if (!abandoned) {
        copy.run();
      }
    }
  }
}
