package io.kvasir.benchmarks.compare;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.kvasir.benchmarks.common.Posix;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.nio.file.Path;
import java.util.List;

/** The yardstick over io_uring by system calls, without liburing (layouts: linux/io_uring.h). */
final class UringDisk implements RawDisk {
  private static final long SETUP = 425;
  private static final long ENTER = 426;
  private static final long GET_EVENTS = 1;
  private static final byte READ = 22;
  private static final byte WRITE = 23;
  private static final int SHARED_POPULATE = 0x8001;
  private static final long SUBMISSIONS = 0;
  private static final long ENTRIES = 0x10000000;
  private static final int SINGLE_ISSUER_DEFERRED = 1 << 12 | 1 << 13;
  private static final int ENTRY = 64;
  private static final int COMPLETION = 16;
  private static final VarHandle INT = JAVA_INT.varHandle();

  private final Path file;
  private final int descriptor;
  private int ring = -1;
  private MemorySegment rings;
  private MemorySegment entries;
  private long sqTail;
  private long sqMask;
  private long sqArray;
  private long cqHead;
  private long cqTail;
  private long cqMask;
  private long completions;

  UringDisk(Path file) throws IOException {
    this.file = file;
    this.descriptor = Posix.open(file, Posix.READ_WRITE | Posix.DIRECT);
  }

  /** A ring belongs to the thread that made it, so that it is made by the first pass. */
  private void setUp() throws IOException {
    if (ring >= 0) {
      return;
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment p = arena.allocate(120, 8);
      p.set(JAVA_INT, 8, SINGLE_ISSUER_DEFERRED);
      ring = (int) Posix.syscall("io_uring_setup", SETUP, 4 * DEPTH, p.address(), 0, 0);
      int sqEntries = p.get(JAVA_INT, 0);
      int cqEntries = p.get(JAVA_INT, 4);
      sqTail = p.get(JAVA_INT, 44);
      sqMask = p.get(JAVA_INT, 48);
      sqArray = p.get(JAVA_INT, 64);
      cqHead = p.get(JAVA_INT, 80);
      cqTail = p.get(JAVA_INT, 84);
      cqMask = p.get(JAVA_INT, 88);
      completions = p.get(JAVA_INT, 100);
      long bytes = Math.max(sqArray + 4L * sqEntries, completions + (long) COMPLETION * cqEntries);
      rings = Posix.map(bytes, SHARED_POPULATE, ring, SUBMISSIONS);
      entries = Posix.map((long) ENTRY * sqEntries, SHARED_POPULATE, ring, ENTRIES);
    }
  }

  @Override
  public void write(List<Long> positions, int blockBytes, FramePool frames) throws IOException {
    pass(WRITE, positions, blockBytes, frames);
  }

  @Override
  public void read(List<Long> positions, int blockBytes, FramePool frames) throws IOException {
    pass(READ, positions, blockBytes, frames);
  }

  private void pass(byte operation, List<Long> positions, int blockBytes, FramePool frames)
      throws IOException {
    setUp();
    int submitted = 0;
    for (int done = 0; done < positions.size(); ) {
      int fresh = 0;
      // frames are taken in turn: a straggler may share its frame, which a yardstick can bear
      for (; submitted - done < DEPTH && submitted < positions.size(); submitted++, fresh++) {
        MemorySegment frame = frames.frame(submitted % frames.frames());
        submit(operation, frame, positions.get(submitted), blockBytes);
      }
      Posix.syscall("io_uring_enter", ENTER, ring, fresh, 1, GET_EVENTS);
      done += reap(blockBytes);
    }
  }

  private void submit(byte operation, MemorySegment frame, long position, int blockBytes) {
    int tail = (int) INT.get(rings, sqTail);
    int index = tail & rings.get(JAVA_INT, sqMask);
    MemorySegment entry = entries.asSlice((long) index * ENTRY, ENTRY).fill((byte) 0);
    entry.set(JAVA_BYTE, 0, operation);
    entry.set(JAVA_INT, 4, descriptor);
    entry.set(JAVA_LONG, 8, position);
    entry.set(JAVA_LONG, 16, frame.address());
    entry.set(JAVA_INT, 24, blockBytes);
    rings.set(JAVA_INT, sqArray + 4L * index, index);
    INT.setRelease(rings, sqTail, tail + 1);
  }

  private int reap(int blockBytes) throws IOException {
    int head = (int) INT.get(rings, cqHead);
    int tail = (int) INT.getAcquire(rings, cqTail);
    int reaped = tail - head;
    for (; head != tail; head++) {
      long at = completions + (long) COMPLETION * (head & rings.get(JAVA_INT, cqMask));
      int result = rings.get(JAVA_INT, at + 8);
      if (result != blockBytes) {
        throw new IOException("%s: io_uring moved %d of %d".formatted(file, result, blockBytes));
      }
    }
    INT.setRelease(rings, cqHead, head);
    return reaped;
  }

  @Override
  public void flush() throws IOException {
    Posix.fdatasync(descriptor);
  }

  @Override
  public void close() throws IOException {
    if (ring >= 0) {
      Posix.unmap(entries);
      Posix.unmap(rings);
      Posix.close(ring);
    }
    Posix.close(descriptor);
  }
}
