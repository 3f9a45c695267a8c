package io.kvasir.api;

import java.lang.foreign.MemorySegment;

/** Memory of an engine that planes lie in. */
public sealed interface Region {
  /** {@return the size in bytes} */
  long bytes();

  /** {@return a region of native memory} */
  static Region host(MemorySegment memory) {
    return new Host(memory);
  }

  /** {@return a region of device memory, which the host cannot address} */
  static Region device(String device, long address, long bytes) {
    return new Device(device, address, bytes);
  }

  /**
   * Native memory.
   *
   * @param memory not on the heap; alive while transfers run
   */
  record Host(MemorySegment memory) implements Region {
    /** Refuses heap memory. */
    public Host {
      if (!memory.isNative()) {
        throw new KvasirException("a region on the heap; give native memory");
      }
    }

    @Override
    public long bytes() {
      return memory.byteSize();
    }
  }

  /**
   * Device memory, moved by the {@link io.kvasir.api.store.TransferPath} that accepts the device.
   *
   * @param device such as {@code cuda:0}
   * @param address in the device's address space
   * @param bytes size in bytes
   */
  record Device(String device, long address, long bytes) implements Region {}
}
