package io.kvasir.benchmarks.common;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.file.Path;

/** The system calls of Linux on 64 bits that a measurement needs and the JDK does not give. */
@SuppressWarnings("restricted")
public final class Posix {
  public static final int READ_WRITE = 2;
  public static final int DIRECT = 0x4000;

  private static final Linker LINKER = Linker.nativeLinker();
  private static final Linker.Option ERRNO = Linker.Option.captureCallState("errno");
  private static final VarHandle ERRNO_OF =
      Linker.Option.captureStateLayout()
          .varHandle(MemoryLayout.PathElement.groupElement("errno"))
          .withInvokeExactBehavior();

  private static final MethodHandle OPEN =
      call(
          "open",
          FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT),
          ERRNO,
          Linker.Option.firstVariadicArg(2));
  private static final MethodHandle CLOSE =
      call("close", FunctionDescriptor.of(JAVA_INT, JAVA_INT), ERRNO);
  private static final MethodHandle FDATASYNC =
      call("fdatasync", FunctionDescriptor.of(JAVA_INT, JAVA_INT), ERRNO);
  private static final MethodHandle MMAP =
      call(
          "mmap",
          FunctionDescriptor.of(
              ADDRESS, ADDRESS, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG),
          ERRNO);
  private static final MethodHandle MUNMAP =
      call("munmap", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG), ERRNO);
  private static final MethodHandle MADVISE =
      call("madvise", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT), ERRNO);
  private static final MethodHandle FADVISE =
      call(
          "posix_fadvise",
          FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT),
          ERRNO);
  private static final MethodHandle CLOCK =
      call("clock_gettime", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS), ERRNO);
  private static final MethodHandle SYSCALL =
      call(
          "syscall",
          FunctionDescriptor.of(
              JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG,
              JAVA_LONG),
          ERRNO,
          Linker.Option.firstVariadicArg(1));

  private static final int PROCESS_CPU_TIME = 2;

  private Posix() {}

  private static MethodHandle call(
      String name, FunctionDescriptor signature, Linker.Option... options) {
    MemorySegment address =
        LINKER
            .defaultLookup()
            .find(name)
            .orElseThrow(() -> new UnsupportedOperationException("no " + name + " in libc"));
    return LINKER.downcallHandle(address, signature, options);
  }

  /** What a system call returns that fails with −1; {@code state} takes its errno. */
  private interface Native {
    long call(MemorySegment state) throws Throwable;
  }

  private static long checked(String what, Native call) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(Linker.Option.captureStateLayout());
      long result = call.call(state);
      if (result == -1) {
        throw new IOException(what + ": errno " + (int) ERRNO_OF.get(state, 0L));
      }
      return result;
    } catch (IOException | RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(what, e);
    }
  }

  public static int open(Path file, int flags) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment name = arena.allocateFrom(file.toString());
      return (int)
          checked("open " + file, state -> (int) OPEN.invokeExact(state, name, flags, 0600));
    }
  }

  public static void close(int file) throws IOException {
    checked("close", state -> (int) CLOSE.invokeExact(state, file));
  }

  public static void fdatasync(int file) throws IOException {
    checked("fdatasync", state -> (int) FDATASYNC.invokeExact(state, file));
  }

  /** Advice for a whole file. */
  public static void fadvise(int file, int advice) throws IOException {
    checked("posix_fadvise", state -> (int) FADVISE.invokeExact(state, file, 0L, 0L, advice));
  }

  /** Memory of the kernel's, by {@code mmap}; to be given back by {@link #unmap}. */
  public static MemorySegment map(long bytes, int flags, int file, long offset) throws IOException {
    int readWrite = 3;
    long address =
        checked(
            "mmap of " + bytes + " bytes",
            state ->
                ((MemorySegment)
                        MMAP.invokeExact(
                            state, MemorySegment.NULL, bytes, readWrite, flags, file, offset))
                    .address());
    return MemorySegment.ofAddress(address).reinterpret(bytes);
  }

  public static void unmap(MemorySegment mapped) throws IOException {
    checked("munmap", state -> (int) MUNMAP.invokeExact(state, mapped, mapped.byteSize()));
  }

  public static void madvise(MemorySegment mapped, int advice) throws IOException {
    checked(
        "madvise " + advice,
        state -> (int) MADVISE.invokeExact(state, mapped, mapped.byteSize(), advice));
  }

  /** A call that libc has no function for. */
  public static long syscall(String what, long number, long a, long b, long c, long d)
      throws IOException {
    return checked(what, state -> (long) SYSCALL.invokeExact(state, number, a, b, c, d, 0L, 0L));
  }

  /** {@return the CPU time of this process in seconds; the JDK's own counts in ticks of 10 ms} */
  public static double cpuSeconds() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment time = arena.allocate(16, 8);
      checked("clock_gettime", state -> (int) CLOCK.invokeExact(state, PROCESS_CPU_TIME, time));
      return time.get(JAVA_LONG, 0) + time.get(JAVA_LONG, 8) / 1e9;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
