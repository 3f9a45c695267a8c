package io.kvasir.cuda;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import jcuda.NativePointerObject;
import jcuda.Pointer;
import jcuda.driver.CUDA_MEMCPY2D;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUevent;
import jcuda.driver.CUfunction;
import jcuda.driver.CUmemorytype;
import jcuda.driver.CUmodule;
import jcuda.driver.CUpointer_attribute;
import jcuda.driver.CUstream;
import jcuda.driver.CUstream_flags;
import jcuda.driver.JCudaDriver;

/**
 * The driver through JCuda's binding of the driver API; the batch copy, which that lacks, through
 * {@link BatchCopy}. Created only after {@link Presence} has loaded JCuda's native library.
 */
final class JcudaDriver implements Driver {
  private static final VarHandle NATIVE = nativePointer();

  private final SymbolLookup symbols;
  private volatile Optional<BatchCopy> batch = Optional.empty();

  JcudaDriver(SymbolLookup symbols) {
    this.symbols = symbols;
  }

  /** JCuda's handles have no accessor for what they hold. */
  private static VarHandle nativePointer() {
    try {
      return MethodHandles.privateLookupIn(NativePointerObject.class, MethodHandles.lookup())
          .findVarHandle(NativePointerObject.class, "nativePointer", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private static <T extends NativePointerObject> T of(T object, long handle) {
    NATIVE.set(object, handle);
    return object;
  }

  private static long handle(NativePointerObject object) {
    return (long) NATIVE.get(object);
  }

  private static Pointer host(long address) {
    return of(new Pointer(), address);
  }

  private static CUdeviceptr device(long address) {
    return of(new CUdeviceptr(), address);
  }

  private static CUstream stream(long handle) {
    return of(new CUstream(), handle);
  }

  private static CUevent event(long handle) {
    return of(new CUevent(), handle);
  }

  private static void check(String call, int code) throws CudaException {
    if (code != 0) {
      throw new CudaException(call, code);
    }
  }

  @Override
  public void init() throws CudaException {
    check("cuInit", JCudaDriver.cuInit(0));
    batch = BatchCopy.of(symbols, version());
  }

  @Override
  public int version() throws CudaException {
    int[] out = new int[1];
    check("cuDriverGetVersion", JCudaDriver.cuDriverGetVersion(out));
    return out[0];
  }

  @Override
  public int devices() throws CudaException {
    int[] out = new int[1];
    check("cuDeviceGetCount", JCudaDriver.cuDeviceGetCount(out));
    return out[0];
  }

  @Override
  public String name(int device) throws CudaException {
    byte[] out = new byte[256];
    check("cuDeviceGetName", JCudaDriver.cuDeviceGetName(out, out.length, ordinal(device)));
    int end = 0;
    while (end < out.length && out[end] != 0) {
      end++;
    }
    return new String(out, 0, end, StandardCharsets.UTF_8);
  }

  private static CUdevice ordinal(int device) throws CudaException {
    CUdevice out = new CUdevice();
    check("cuDeviceGet", JCudaDriver.cuDeviceGet(out, device));
    return out;
  }

  @Override
  public long retainContext(int device) throws CudaException {
    CUcontext out = new CUcontext();
    check("cuDevicePrimaryCtxRetain", JCudaDriver.cuDevicePrimaryCtxRetain(out, ordinal(device)));
    return handle(out);
  }

  @Override
  public void releaseContext(int device) throws CudaException {
    check("cuDevicePrimaryCtxRelease", JCudaDriver.cuDevicePrimaryCtxRelease(ordinal(device)));
  }

  @Override
  public void makeCurrent(long context) throws CudaException {
    check("cuCtxSetCurrent", JCudaDriver.cuCtxSetCurrent(of(new CUcontext(), context)));
  }

  @Override
  public long allocate(long bytes) throws CudaException {
    CUdeviceptr out = new CUdeviceptr();
    check("cuMemAlloc", JCudaDriver.cuMemAlloc(out, bytes));
    return handle(out);
  }

  @Override
  public void free(long address) throws CudaException {
    check("cuMemFree", JCudaDriver.cuMemFree(device(address)));
  }

  @Override
  public long allocateHost(long bytes) throws CudaException {
    Pointer out = new Pointer();
    check(
        "cuMemHostAlloc",
        JCudaDriver.cuMemHostAlloc(out, bytes, JCudaDriver.CU_MEMHOSTALLOC_PORTABLE));
    return handle(out);
  }

  @Override
  public void freeHost(long address) throws CudaException {
    check("cuMemFreeHost", JCudaDriver.cuMemFreeHost(host(address)));
  }

  @Override
  public void pin(long address, long bytes) throws CudaException {
    check(
        "cuMemHostRegister",
        JCudaDriver.cuMemHostRegister(
            host(address), bytes, JCudaDriver.CU_MEMHOSTREGISTER_PORTABLE));
  }

  @Override
  public void unpin(long address) throws CudaException {
    check("cuMemHostUnregister", JCudaDriver.cuMemHostUnregister(host(address)));
  }

  @Override
  public int memoryType(long address) throws CudaException {
    int[] out = new int[1];
    int code = pointer(out, CUpointer_attribute.CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address);
    if (code == CudaException.INVALID_VALUE) {
      return PAGEABLE;
    }
    check("cuPointerGetAttribute", code);
    return out[0];
  }

  @Override
  public int deviceOf(long address) throws CudaException {
    int[] out = new int[1];
    check(
        "cuPointerGetAttribute",
        pointer(out, CUpointer_attribute.CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, address));
    return out[0];
  }

  private static int pointer(int[] out, int attribute, long address) {
    return JCudaDriver.cuPointerGetAttribute(Pointer.to(out), attribute, device(address));
  }

  @Override
  public long createStream() throws CudaException {
    CUstream out = new CUstream();
    check("cuStreamCreate", JCudaDriver.cuStreamCreate(out, CUstream_flags.CU_STREAM_NON_BLOCKING));
    return handle(out);
  }

  @Override
  public void destroyStream(long stream) throws CudaException {
    check("cuStreamDestroy", JCudaDriver.cuStreamDestroy(stream(stream)));
  }

  @Override
  public long createEvent() throws CudaException {
    CUevent out = new CUevent();
    check(
        "cuEventCreate",
        JCudaDriver.cuEventCreate(out, jcuda.driver.CUevent_flags.CU_EVENT_DISABLE_TIMING));
    return handle(out);
  }

  @Override
  public void destroyEvent(long event) throws CudaException {
    check("cuEventDestroy", JCudaDriver.cuEventDestroy(event(event)));
  }

  @Override
  public void record(long event, long stream) throws CudaException {
    check("cuEventRecord", JCudaDriver.cuEventRecord(event(event), stream(stream)));
  }

  @Override
  public void await(long stream, long event) throws CudaException {
    check("cuStreamWaitEvent", JCudaDriver.cuStreamWaitEvent(stream(stream), event(event), 0));
  }

  @Override
  public boolean done(long event) throws CudaException {
    int code = JCudaDriver.cuEventQuery(event(event));
    if (code == CudaException.NOT_READY) {
      return false;
    }
    check("cuEventQuery", code);
    return true;
  }

  @Override
  public void synchronize(long stream) throws CudaException {
    check("cuStreamSynchronize", JCudaDriver.cuStreamSynchronize(stream(stream)));
  }

  @Override
  public void copyOut(long host, long device, long bytes, long stream) throws CudaException {
    check(
        "cuMemcpyDtoHAsync",
        JCudaDriver.cuMemcpyDtoHAsync(host(host), device(device), bytes, stream(stream)));
  }

  @Override
  public void copyIn(long device, long host, long bytes, long stream) throws CudaException {
    check(
        "cuMemcpyHtoDAsync",
        JCudaDriver.cuMemcpyHtoDAsync(device(device), host(host), bytes, stream(stream)));
  }

  @Override
  public void copyRowsOut(
      long host, long hostPitch, long device, long devicePitch, long bytes, int rows, long stream)
      throws CudaException {
    CUDA_MEMCPY2D copy = new CUDA_MEMCPY2D();
    copy.srcMemoryType = CUmemorytype.CU_MEMORYTYPE_DEVICE;
    copy.srcDevice = device(device);
    copy.srcPitch = devicePitch;
    copy.dstMemoryType = CUmemorytype.CU_MEMORYTYPE_HOST;
    copy.dstHost = host(host);
    copy.dstPitch = hostPitch;
    copy.WidthInBytes = bytes;
    copy.Height = rows;
    check("cuMemcpy2DAsync", JCudaDriver.cuMemcpy2DAsync(copy, stream(stream)));
  }

  @Override
  public void copyRowsIn(
      long device, long devicePitch, long host, long hostPitch, long bytes, int rows, long stream)
      throws CudaException {
    CUDA_MEMCPY2D copy = new CUDA_MEMCPY2D();
    copy.srcMemoryType = CUmemorytype.CU_MEMORYTYPE_HOST;
    copy.srcHost = host(host);
    copy.srcPitch = hostPitch;
    copy.dstMemoryType = CUmemorytype.CU_MEMORYTYPE_DEVICE;
    copy.dstDevice = device(device);
    copy.dstPitch = devicePitch;
    copy.WidthInBytes = bytes;
    copy.Height = rows;
    check("cuMemcpy2DAsync", JCudaDriver.cuMemcpy2DAsync(copy, stream(stream)));
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
    CUmodule out = new CUmodule();
    byte[] text = ptx.getBytes(StandardCharsets.US_ASCII);
    // the driver reads up to a NUL
    check(
        "cuModuleLoadData",
        JCudaDriver.cuModuleLoadData(out, Arrays.copyOf(text, text.length + 1)));
    return handle(out);
  }

  @Override
  public void unload(long module) throws CudaException {
    check("cuModuleUnload", JCudaDriver.cuModuleUnload(of(new CUmodule(), module)));
  }

  @Override
  public long function(long module, String name) throws CudaException {
    CUfunction out = new CUfunction();
    check(
        "cuModuleGetFunction",
        JCudaDriver.cuModuleGetFunction(out, of(new CUmodule(), module), name));
    return handle(out);
  }

  @Override
  public void launch(long function, int x, int y, int z, int threads, long parameters, long stream)
      throws CudaException {
    check(
        "cuLaunchKernel",
        JCudaDriver.cuLaunchKernel(
            of(new CUfunction(), function),
            x,
            y,
            z,
            threads,
            1,
            1,
            0,
            stream(stream),
            host(parameters),
            null));
  }
}
