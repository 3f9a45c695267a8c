package io.kvasir.cuda;

import java.lang.foreign.MemorySegment;

/**
 * The calls of the CUDA driver that the path makes. Handles, device addresses and host addresses
 * are {@code long}s, so that an engine's own fit. What works on a context works on the calling
 * thread's; nothing here may be called by a virtual thread.
 */
interface Driver {
  /** {@code CU_MEMORYTYPE_…}: what an address is. */
  int PAGEABLE = 0;

  int HOST = 1;
  int DEVICE = 2;

  void init() throws CudaException;

  /** {@return the driver's version, as 12080 for 12.8} */
  int version() throws CudaException;

  int devices() throws CudaException;

  String name(int device) throws CudaException;

  /** {@return the device's primary context, which an engine in this process uses too} */
  long retainContext(int device) throws CudaException;

  void releaseContext(int device) throws CudaException;

  void makeCurrent(long context) throws CudaException;

  long allocate(long bytes) throws CudaException;

  void free(long address) throws CudaException;

  /** {@return the address of new pinned memory} */
  long allocateHost(long bytes) throws CudaException;

  void freeHost(long address) throws CudaException;

  /** Pins memory for the contexts of all devices. */
  void pin(long address, long bytes) throws CudaException;

  void unpin(long address) throws CudaException;

  /** {@return {@link #HOST}, {@link #DEVICE}, or {@link #PAGEABLE} for what CUDA does not know} */
  int memoryType(long address) throws CudaException;

  /** {@return the number of the device that memory known to CUDA belongs to} */
  int deviceOf(long address) throws CudaException;

  /** {@return a new stream that does not wait for the null stream} */
  long createStream() throws CudaException;

  void destroyStream(long stream) throws CudaException;

  /** {@return a new event without timing} */
  long createEvent() throws CudaException;

  void destroyEvent(long event) throws CudaException;

  void record(long event, long stream) throws CudaException;

  /** Lets a stream wait for the last record of an event before this call. */
  void await(long stream, long event) throws CudaException;

  /** {@return whether the last record of an event has been reached} */
  boolean done(long event) throws CudaException;

  /** Waits for all that a stream holds. */
  void synchronize(long stream) throws CudaException;

  void copyOut(long host, long device, long bytes, long stream) throws CudaException;

  void copyIn(long device, long host, long bytes, long stream) throws CudaException;

  /** Copies rows of {@code bytes}, whose beginnings lie a pitch apart. */
  void copyRowsOut(
      long host, long hostPitch, long device, long devicePitch, long bytes, int rows, long stream)
      throws CudaException;

  /** Copies rows the other way. */
  void copyRowsIn(
      long device, long devicePitch, long host, long hostPitch, long bytes, int rows, long stream)
      throws CudaException;

  /** {@return whether {@link #copyBatch} works} */
  boolean batches();

  /**
   * Copies many pieces with one call.
   *
   * @param to addresses, as {@code from} and {@code bytes} native memory with a {@code long} each
   * @param anyOrder whether the sources may be read before what the stream holds is done
   */
  void copyBatch(
      MemorySegment to,
      MemorySegment from,
      MemorySegment bytes,
      int count,
      boolean anyOrder,
      long stream)
      throws CudaException;

  /** {@return a module made of PTX text} */
  long load(String ptx) throws CudaException;

  void unload(long module) throws CudaException;

  long function(long module, String name) throws CudaException;

  /**
   * Launches a kernel.
   *
   * @param parameters address of the addresses of the parameters; read before the call returns
   */
  void launch(long function, int x, int y, int z, int threads, long parameters, long stream)
      throws CudaException;
}
