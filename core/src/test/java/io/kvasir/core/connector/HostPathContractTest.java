package io.kvasir.core.connector;

import io.kvasir.api.Fence;
import io.kvasir.api.Region;
import io.kvasir.api.store.TransferPath;
import io.kvasir.conformance.EngineMemory;
import io.kvasir.conformance.TransferPathContract;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.AfterEach;

class HostPathContractTest extends TransferPathContract {
  private final Arena arena = Arena.ofShared();

  @AfterEach
  void free() {
    arena.close();
  }

  @Override
  protected TransferPath path() {
    return new HostPath();
  }

  @Override
  protected Region foreign() {
    return Region.device("cuda:0", 0, 1 << 10);
  }

  @Override
  protected EngineMemory memory() {
    return new EngineMemory() {
      @Override
      public Region allocate(int bytes) {
        return Region.host(arena.allocate(bytes, 64));
      }

      @Override
      public void write(Region region, int offset, byte[] bytes) {
        MemorySegment.copy(bytes, 0, host(region), ValueLayout.JAVA_BYTE, offset, bytes.length);
      }

      @Override
      public Fence written() {
        return Fence.none();
      }

      @Override
      public byte[] read(Region region, int offset, int bytes) {
        return host(region).asSlice(offset, bytes).toArray(ValueLayout.JAVA_BYTE);
      }
    };
  }

  private static MemorySegment host(Region region) {
    return ((Region.Host) region).memory();
  }
}
