package io.kvasir.cuda;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.util.Optional;

/**
 * {@code cuMemcpyBatchAsync}, which JCuda does not bind. There are two: driver 12.8 has one with
 * nine arguments, 13.0 adds {@code _v2} without the one that names the piece that failed.
 */
@SuppressWarnings("restricted") // binding the driver is what this module is for
final class BatchCopy {
  private static final int STREAM_ORDER = 1; // CU_MEMCPY_SRC_ACCESS_ORDER_…
  private static final int ANY_ORDER = 3;
  private static final int OVERLAP = 1; // CU_MEMCPY_FLAG_PREFER_OVERLAP_WITH_COMPUTE
  private static final int ATTRIBUTES = 24; // order, two places of two ints each, flags

  private final MethodHandle call;
  private final boolean namesFailed;

  private BatchCopy(MethodHandle call, boolean namesFailed) {
    this.call = call;
    this.namesFailed = namesFailed;
  }

  /** {@return the call, if a driver of that version has it} */
  static Optional<BatchCopy> of(SymbolLookup driver, int version) {
    if (version >= 13000) {
      Optional<MemorySegment> symbol = driver.find("cuMemcpyBatchAsync_v2");
      if (symbol.isPresent()) {
        return Optional.of(new BatchCopy(bind(symbol.get(), false), false));
      }
    }
    return version < 12080
        ? Optional.empty()
        : driver.find("cuMemcpyBatchAsync").map(s -> new BatchCopy(bind(s, true), true));
  }

  private static MethodHandle bind(MemorySegment symbol, boolean namesFailed) {
    FunctionDescriptor eight =
        FunctionDescriptor.of(
            JAVA_INT, ADDRESS, ADDRESS, ADDRESS, JAVA_LONG, ADDRESS, ADDRESS, JAVA_LONG, JAVA_LONG);
    FunctionDescriptor nine = eight.insertArgumentLayouts(7, ADDRESS);
    return Linker.nativeLinker().downcallHandle(symbol, namesFailed ? nine : eight);
  }

  void copy(
      MemorySegment to,
      MemorySegment from,
      MemorySegment bytes,
      int count,
      boolean anyOrder,
      long stream)
      throws CudaException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment attributes = arena.allocate(ATTRIBUTES, 8);
      attributes.set(JAVA_INT, 0, anyOrder ? ANY_ORDER : STREAM_ORDER);
      attributes.set(JAVA_INT, ATTRIBUTES - 4, OVERLAP);
      MemorySegment first = arena.allocate(JAVA_LONG);
      int code;
      try {
        code =
            namesFailed
                ? (int)
                    call.invokeExact(
                        to,
                        from,
                        bytes,
                        (long) count,
                        attributes,
                        first,
                        1L,
                        arena.allocate(JAVA_LONG),
                        stream)
                : (int)
                    call.invokeExact(to, from, bytes, (long) count, attributes, first, 1L, stream);
      } catch (Throwable t) {
        throw new AssertionError("cuMemcpyBatchAsync", t);
      }
      if (code != 0) {
        throw new CudaException("cuMemcpyBatchAsync", code);
      }
    }
  }
}
