package io.kvasir.conformance.engine;

import io.kvasir.api.Deadline;
import io.kvasir.api.Fence;
import io.kvasir.api.Region;
import io.kvasir.api.store.TransferPath;
import io.kvasir.conformance.EngineMemory;
import io.kvasir.conformance.TransferPathContract;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;

class FakeDevicePathTest extends TransferPathContract {
  private final FakeDevice device = new FakeDevice("fake:0", 4 << 20, Duration.ofNanos(1));
  private final TransferPath path = new FakeDevicePath(device);
  private final Stream kernels = device.stream("kernels");
  private final Stream slow = device.stream("a slow kernel");
  private final CountDownLatch gate = new CountDownLatch(1);

  @AfterEach
  void end() {
    gate.countDown();
    device.close();
  }

  @Override
  protected TransferPath path() {
    return path;
  }

  @Override
  protected Region foreign() {
    return Region.device("fake:1", 0, 1 << 10);
  }

  @Override
  protected EngineMemory memory() {
    return new EngineMemory() {
      @Override
      public Region allocate(int bytes) {
        return device.allocate(bytes);
      }

      @Override
      public void write(Region region, int offset, byte[] bytes) {
        device.copyIn(kernels, pieces(region, offset, bytes.clone()), new FakeDevice.Abandon());
      }

      @Override
      public Fence written() {
        return Fence.event(device.record(kernels));
      }

      @Override
      public Optional<Fence> held() {
        slow.enqueue(
            () -> {
              try {
                gate.await();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
        return Optional.of(Fence.event(device.record(slow)));
      }

      @Override
      public void release() {
        gate.countDown();
      }

      @Override
      public void await(Fence.Event event) {
        device.await(kernels, event.handle());
      }

      @Override
      public byte[] read(Region region, int offset, int bytes) {
        byte[] out = new byte[bytes];
        device.copyOut(kernels, pieces(region, offset, out), new FakeDevice.Abandon());
        try {
          device.await(device.record(kernels), Deadline.after(Duration.ofSeconds(10)));
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
        return out;
      }
    };
  }

  private static List<FakeDevice.Piece> pieces(Region region, int offset, byte[] bytes) {
    long address = ((Region.Device) region).address() + offset;
    return List.of(new FakeDevice.Piece(address, MemorySegment.ofArray(bytes)));
  }
}
