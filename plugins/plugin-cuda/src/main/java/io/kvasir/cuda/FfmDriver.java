package io.kvasir.cuda;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.util.Optional;

/**
 * The driver through {@code java.lang.foreign} alone, for machines that JCuda has no native library
 * for. Symbols are those that {@code cuda.h} maps the names to; streams and events are handles, and
 * the null stream is 0.
 */
@SuppressWarnings("restricted") // binding the driver is what this module is for
final class FfmDriver implements Driver {
  private static final MemoryLayout[] COPY = {JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG};

  private final SymbolLookup symbols;
  private final MethodHandle setCurrent;
  private final MethodHandle pointerAttribute;
  private final MethodHandle copyOut;
  private final MethodHandle copyIn;
  private final MethodHandle copyRows;
  private final MethodHandle record;
  private final MethodHandle query;
  private final MethodHandle launch;
  private volatile Optional<BatchCopy> batch = Optional.empty();

  FfmDriver(SymbolLookup symbols) {
    this.symbols = symbols;
    setCurrent = bind("cuCtxSetCurrent", JAVA_LONG);
    pointerAttribute = bind("cuPointerGetAttribute", ADDRESS, JAVA_INT, JAVA_LONG);
    copyOut = bind("cuMemcpyDtoHAsync_v2", COPY);
    copyIn = bind("cuMemcpyHtoDAsync_v2", COPY);
    copyRows = bind("cuMemcpy2DAsync_v2", ADDRESS, JAVA_LONG);
    record = bind("cuEventRecord", JAVA_LONG, JAVA_LONG);
    query = bind("cuEventQuery", JAVA_LONG);
    launch =
        bind(
            "cuLaunchKernel",
            JAVA_LONG,
            JAVA_INT,
            JAVA_INT,
            JAVA_INT,
            JAVA_INT,
            JAVA_INT,
            JAVA_INT,
            JAVA_INT,
            JAVA_LONG,
            JAVA_LONG,
            JAVA_LONG);
  }

  private MethodHandle bind(String name, MemoryLayout... arguments) {
    return Linker.nativeLinker()
        .downcallHandle(symbols.findOrThrow(name), FunctionDescriptor.of(JAVA_INT, arguments));
  }

  /** A call whose code is yet to be looked at. */
  private interface Call {
    int code() throws Throwable;
  }

  private static int code(String name, Call call) {
    try {
      return call.code();
    } catch (Throwable t) {
      throw new AssertionError(name, t);
    }
  }

  private static void check(String name, Call call) throws CudaException {
    int code = code(name, call);
    if (code != 0) {
      throw new CudaException(name.replaceFirst("_v2$", ""), code);
    }
  }

  /** Calls a function that is not called often. */
  private void rare(String name, MemoryLayout[] layouts, Object... arguments) throws CudaException {
    MethodHandle handle = bind(name, layouts);
    check(name, () -> (int) handle.invokeWithArguments(arguments));
  }

  private static MemoryLayout[] layouts(MemoryLayout... layouts) {
    return layouts;
  }

  /** Calls a function that writes a word to its first argument. */
  private long made(String name, MemoryLayout[] rest, Object... arguments) throws CudaException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(JAVA_LONG);
      MemoryLayout[] layouts = new MemoryLayout[rest.length + 1];
      Object[] all = new Object[arguments.length + 1];
      layouts[0] = ADDRESS;
      all[0] = out;
      System.arraycopy(rest, 0, layouts, 1, rest.length);
      System.arraycopy(arguments, 0, all, 1, arguments.length);
      rare(name, layouts, all);
      return out.get(JAVA_LONG, 0);
    }
  }

  @Override
  public void init() throws CudaException {
    rare("cuInit", layouts(JAVA_INT), 0);
    batch = BatchCopy.of(symbols, version());
  }

  @Override
  public int version() throws CudaException {
    return (int) made("cuDriverGetVersion", layouts());
  }

  @Override
  public int devices() throws CudaException {
    return (int) made("cuDeviceGetCount", layouts());
  }

  @Override
  public String name(int device) throws CudaException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(256);
      rare("cuDeviceGetName", layouts(ADDRESS, JAVA_INT, JAVA_INT), out, 256, ordinal(device));
      return out.getString(0);
    }
  }

  private int ordinal(int device) throws CudaException {
    return (int) made("cuDeviceGet", layouts(JAVA_INT), device);
  }

  @Override
  public long retainContext(int device) throws CudaException {
    return made("cuDevicePrimaryCtxRetain", layouts(JAVA_INT), ordinal(device));
  }

  @Override
  public void releaseContext(int device) throws CudaException {
    rare("cuDevicePrimaryCtxRelease_v2", layouts(JAVA_INT), ordinal(device));
  }

  @Override
  public void makeCurrent(long context) throws CudaException {
    check("cuCtxSetCurrent", () -> (int) setCurrent.invokeExact(context));
  }

  @Override
  public long allocate(long bytes) throws CudaException {
    return made("cuMemAlloc_v2", layouts(JAVA_LONG), bytes);
  }

  @Override
  public void free(long address) throws CudaException {
    rare("cuMemFree_v2", layouts(JAVA_LONG), address);
  }

  @Override
  public long allocateHost(long bytes) throws CudaException {
    return made("cuMemHostAlloc", layouts(JAVA_LONG, JAVA_INT), bytes, 1); // portable
  }

  @Override
  public void freeHost(long address) throws CudaException {
    rare("cuMemFreeHost", layouts(JAVA_LONG), address);
  }

  @Override
  public void pin(long address, long bytes) throws CudaException {
    MemoryLayout[] layouts = layouts(JAVA_LONG, JAVA_LONG, JAVA_INT);
    rare("cuMemHostRegister_v2", layouts, address, bytes, 1); // portable
  }

  @Override
  public void unpin(long address) throws CudaException {
    rare("cuMemHostUnregister", layouts(JAVA_LONG), address);
  }

  @Override
  public int memoryType(long address) throws CudaException {
    return attribute(2, address, PAGEABLE);
  }

  @Override
  public int deviceOf(long address) throws CudaException {
    return attribute(9, address, -1);
  }

  private int attribute(int attribute, long address, int ofUnknown) throws CudaException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(JAVA_LONG);
      String name = "cuPointerGetAttribute";
      int code = code(name, () -> (int) pointerAttribute.invokeExact(out, attribute, address));
      if (code == CudaException.INVALID_VALUE && ofUnknown >= 0) {
        return ofUnknown;
      }
      check(name, () -> code);
      return out.get(JAVA_INT, 0);
    }
  }

  @Override
  public long createStream() throws CudaException {
    return made("cuStreamCreate", layouts(JAVA_INT), 1); // does not wait for the null stream
  }

  @Override
  public void destroyStream(long stream) throws CudaException {
    rare("cuStreamDestroy_v2", layouts(JAVA_LONG), stream);
  }

  @Override
  public long createEvent() throws CudaException {
    return made("cuEventCreate", layouts(JAVA_INT), 2); // without timing
  }

  @Override
  public void destroyEvent(long event) throws CudaException {
    rare("cuEventDestroy_v2", layouts(JAVA_LONG), event);
  }

  @Override
  public void record(long event, long stream) throws CudaException {
    check("cuEventRecord", () -> (int) record.invokeExact(event, stream));
  }

  @Override
  public void await(long stream, long event) throws CudaException {
    rare("cuStreamWaitEvent", layouts(JAVA_LONG, JAVA_LONG, JAVA_INT), stream, event, 0);
  }

  @Override
  public boolean done(long event) throws CudaException {
    int code = code("cuEventQuery", () -> (int) query.invokeExact(event));
    if (code == CudaException.NOT_READY) {
      return false;
    }
    check("cuEventQuery", () -> code);
    return true;
  }

  @Override
  public void synchronize(long stream) throws CudaException {
    rare("cuStreamSynchronize", layouts(JAVA_LONG), stream);
  }

  @Override
  public void copyOut(long host, long device, long bytes, long stream) throws CudaException {
    check("cuMemcpyDtoHAsync", () -> (int) copyOut.invokeExact(host, device, bytes, stream));
  }

  @Override
  public void copyIn(long device, long host, long bytes, long stream) throws CudaException {
    check("cuMemcpyHtoDAsync", () -> (int) copyIn.invokeExact(device, host, bytes, stream));
  }

  @Override
  public void copyRowsOut(
      long host, long hostPitch, long device, long devicePitch, long bytes, int rows, long stream)
      throws CudaException {
    copyRows(2, device, devicePitch, host, hostPitch, bytes, rows, stream);
  }

  @Override
  public void copyRowsIn(
      long device, long devicePitch, long host, long hostPitch, long bytes, int rows, long stream)
      throws CudaException {
    copyRows(1, host, hostPitch, device, devicePitch, bytes, rows, stream);
  }

  /** {@code CUDA_MEMCPY2D}: two sides of seven words, width and height. */
  private void copyRows(
      int fromType,
      long from,
      long fromPitch,
      long to,
      long toPitch,
      long bytes,
      int rows,
      long stream)
      throws CudaException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment copy = arena.allocate(16 * 8, 8);
      side(copy, 0, fromType, from, fromPitch);
      side(copy, 7, HOST + DEVICE - fromType, to, toPitch);
      copy.setAtIndex(JAVA_LONG, 14, bytes);
      copy.setAtIndex(JAVA_LONG, 15, rows);
      check("cuMemcpy2DAsync", () -> (int) copyRows.invokeExact(copy, stream));
    }
  }

  /** x, y, type, host, device, array, pitch. */
  private static void side(MemorySegment copy, int at, int type, long address, long pitch) {
    copy.set(JAVA_INT, (at + 2) * 8L, type);
    copy.setAtIndex(JAVA_LONG, at + (type == HOST ? 3 : 4), address);
    copy.setAtIndex(JAVA_LONG, at + 6, pitch);
  }

  @Override
  public boolean batches() {
    return batch.isPresent();
  }

  @Override
  public void copyBatch(
      MemorySegment to,
      MemorySegment from,
      MemorySegment bytes,
      int count,
      boolean anyOrder,
      long stream)
      throws CudaException {
    batch.orElseThrow().copy(to, from, bytes, count, anyOrder, stream);
  }

  @Override
  public long load(String ptx) throws CudaException {
    try (Arena arena = Arena.ofConfined()) {
      return made("cuModuleLoadData", layouts(ADDRESS), arena.allocateFrom(ptx));
    }
  }

  @Override
  public void unload(long module) throws CudaException {
    rare("cuModuleUnload", layouts(JAVA_LONG), module);
  }

  @Override
  public long function(long module, String name) throws CudaException {
    try (Arena arena = Arena.ofConfined()) {
      MemoryLayout[] layouts = layouts(JAVA_LONG, ADDRESS);
      return made("cuModuleGetFunction", layouts, module, arena.allocateFrom(name));
    }
  }

  @Override
  public void launch(long function, int x, int y, int z, int threads, long parameters, long stream)
      throws CudaException {
    check(
        "cuLaunchKernel",
        () ->
            (int) launch.invokeExact(function, x, y, z, threads, 1, 1, 0, stream, parameters, 0L));
  }
}
